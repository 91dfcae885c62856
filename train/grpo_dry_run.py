"""What a training by GRPO would be: matches, tokens, memory and time, by a few matches and one update."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from econzoo.baselines.player import Player
from econzoo.evaluate.show.console import TextTable
from econzoo.train.grpo_args import GrpoArgs
from econzoo.train.lm_dry_run import GIGABYTE, in_words, memory, seconds_of_step
from econzoo.train.lm_rollout import Policy, Sample, play_samples
from econzoo.train.lm_tickets import Ticket
from econzoo.train.lm_tokens import Tokens

__all__ = ["grpo_table"]

NOTE = (
    "Time by so many matches side by side as a group has, and one update with them, on this machine as busy as it is "
    "now. Matches get longer or shorter as the policy learns, validations and groups drawn anew come on top, and more "
    "matches side by side are faster"
)

REFERENCE = 1 / 3
"""Time of the KL term's forward pass, in parts of a forward and backward pass."""


def grpo_table(
    args: GrpoArgs, policy: Policy, model: Any, drawn: Sequence[Ticket], cast: Callable[[str], Player], dtype: str
) -> TextTable:
    """What a training would be.

    Args:
        args: Of the method.
        policy: What would play.
        model: With those weights trainable that would learn.
        drawn: The matches of the run.
        cast: The player of a spec.
        dtype: Of the arithmetic of learning.
    """
    begun = time.perf_counter()
    samples = play_samples(policy, drawn[: args.group_size], cast)
    playing = (time.perf_counter() - begun) / len(samples)
    rows = [as_tokens(sample) for sample in samples]
    learning = updating(args, model, rows, policy.loaded.tokenizer.pad_token_id, dtype) / len(samples)
    matches = args.steps * args.groups * args.group_size
    tokens, own = fmean(len(row.ids) for row in rows), fmean(sum(row.own) for row in rows)
    learned = sum(p.numel() for p in model.parameters() if p.requires_grad)
    total = sum(p.numel() for p in model.parameters())
    kept = 4 * learned if args.beta and not args.lora else 0
    return TextTable(
        "Dry run",
        ["training", "what"],
        [
            ["game", args.game],
            ["matches", f"{matches:,}: {args.steps:,} steps of {args.groups} groups of {args.group_size}"],
            ["cells", f"{len({one.cell for one in drawn}):,} of setting, seat and opponents"],
            ["drawn anew", f"at most {args.resample * args.steps * args.groups:,} groups"],
            ["tokens", f"{tokens:,.0f} a match, of which {own:,.0f} are its own; {matches * tokens:,.0f} in all"],
            ["parameters", f"{learned:,} of {total:,} learn"],
            ["arithmetic", dtype],
            ["memory", f"{(memory(model, learned) + kept) / GIGABYTE:.1f} GiB"],
            ["playing", f"{playing:.2f} s a match"],
            ["learning", f"{learning:.2f} s a match"],
            ["time", in_words(matches * (playing + learning))],
        ],
        NOTE,
    )


def as_tokens(sample: Sample) -> Tokens:
    """A match as a sequence to learn from."""
    out = Tokens()
    out.read(sample.prompt)
    out.write(sample.completion, sample.own)
    return out


def updating(args: GrpoArgs, model: Any, rows: Sequence[Tokens], pad: int, dtype: str) -> float:
    """Seconds of an update with these sequences."""
    size = min(args.micro_batch, len(rows))
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    seconds = sum(seconds_of_step(model, part, pad, dtype)[0] for part in parts)
    return seconds * (1 + REFERENCE * bool(args.beta))
