"""What a training of a language model would be: examples, tokens, memory and time, by a few measured steps."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from econzoo.baselines.models.dtype import fastest
from econzoo.baselines.player import Player
from econzoo.evaluate.show.parts import Table
from econzoo.train.lm.model import batch_of, label_log_probabilities
from econzoo.train.lm.rollout import Policy, Sample, play_samples
from econzoo.train.lm.tickets import Ticket
from econzoo.train.lm.tokens import Tokens
from econzoo.train.recipe import dry_run_table, in_words

if TYPE_CHECKING:
    from econzoo.train.lm.grpo import GRPORecipe
    from econzoo.train.lm.recipe import SequenceRecipe

__all__ = ["grpo_table", "sequences_table"]

SEQUENCES = "Time by the batches with the median and the longest sequences, on this machine as busy as it is now."

MATCHES = (
    "Time by so many matches side by side as a group has, and one update with them, on this machine as busy as it is "
    "now. Matches get longer or shorter as the policy learns, validations and groups drawn anew come on top, and more "
    "matches side by side are faster."
)

GIGABYTE = 2**30

REFERENCE = 1 / 3
"""Time of the KL term's forward pass, in parts of a forward and backward pass."""


def sequences_table(
    recipe: SequenceRecipe,
    model: Any,
    pad: int,
    data: Sequence[Tokens],
    order: Sequence[int],
    about: dict[str, str],
    sides: int = 1,
) -> Table:
    """What learning from given sequences would be.

    Args:
        recipe: Of the training.
        model: With those weights trainable that would learn.
        pad: Token id of padding.
        data: The sequences.
        order: Places in `data`, as they would be learned from.
        about: Rows to begin with.
        sides: Sequences of an example, which stand side by side; 2 for pairs.
    """
    size, dtype = recipe.micro_batch * sides, fastest(recipe.dtype, model.device.type)
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    by_length = sorted(batches, key=lambda batch: max(len(data[place].ids) for place in batch))
    chosen = [by_length[len(by_length) // 2], by_length[-1]]
    seconds, read = zip(*[seconds_of_step(model, [data[i] for i in one], pad, dtype) for one in chosen], strict=True)
    tokens, own = sum(len(data[place].ids) for place in order), sum(sum(data[place].own) for place in order)
    speed, longest = sum(read) / sum(seconds), max(len(one.ids) for one in data)
    repeated = f"{len(order) // sides:,} with repetition, {recipe.steps:,} steps of {recipe.batch_size}"
    return dry_run_table(
        [
            *([name, value] for name, value in about.items()),
            ["examples", f"{len(data) // sides:,}; {repeated}"],
            ["tokens", f"{tokens:,}, of which {own:,} are learned; longest: {longest:,}"],
            *learner_rows(model, dtype),
            ["speed", f"{speed:,.0f} tokens/s"],
            ["time", in_words(tokens / speed)],
        ],
        SEQUENCES,
    )


def grpo_table(
    recipe: GRPORecipe, policy: Policy, model: Any, drawn: Sequence[Ticket], cast: Callable[[str], Player]
) -> Table:
    """What learning from matches would be.

    Args:
        recipe: Of the training.
        policy: What would play.
        model: With those weights trainable that would learn.
        drawn: The matches of the run.
        cast: The player of a spec.
    """
    dtype, begun = fastest(recipe.dtype, policy.loaded.model.device.type), time.perf_counter()
    samples = play_samples(policy, drawn[: recipe.group_size], cast)
    playing = (time.perf_counter() - begun) / len(samples)
    rows = [as_tokens(sample) for sample in samples]
    learning = updating(recipe, model, rows, policy.loaded.tokenizer.pad_token_id, dtype) / len(samples)
    matches = recipe.steps * recipe.examples
    tokens, own = fmean(len(row.ids) for row in rows), fmean(sum(row.own) for row in rows)
    groups = f"{recipe.steps:,} steps of {recipe.groups} groups of {recipe.group_size}"
    return dry_run_table(
        [
            ["game", recipe.game],
            ["matches", f"{matches:,}: {groups}"],
            ["cells", f"{len({one.cell for one in drawn}):,} of setting, seat and opponents"],
            ["drawn anew", f"at most {recipe.max_resamples * recipe.steps * recipe.groups:,} groups"],
            ["tokens", f"{tokens:,.0f} a match, of which {own:,.0f} are its own; {matches * tokens:,.0f} in all"],
            *learner_rows(model, dtype, starts_kept=bool(recipe.beta and not recipe.lora)),
            ["playing", f"{playing:.2f} s a match"],
            ["learning", f"{learning:.2f} s a match"],
            ["time", in_words(matches * (playing + learning))],
        ],
        MATCHES,
    )


def learner_rows(model: Any, dtype: str, starts_kept: bool = False) -> Iterable[list[str]]:
    """What learns, in which arithmetic, and in how much memory; `starts_kept`: what learns is kept as it was, too."""
    learned = sum(p.numel() for p in model.parameters() if p.requires_grad)
    yield ["parameters", f"{learned:,} of {sum(p.numel() for p in model.parameters()):,} learn"]
    yield ["arithmetic", dtype]
    yield ["memory", f"{(memory(model, learned) + 4 * learned * starts_kept) / GIGABYTE:.1f} GiB"]


def as_tokens(sample: Sample) -> Tokens:
    """A match as a sequence to learn from."""
    out = Tokens()
    out.read(sample.prompt)
    out.write(sample.completion, sample.own)
    return out


def updating(recipe: GRPORecipe, model: Any, rows: Sequence[Tokens], pad: int, dtype: str) -> float:
    """Seconds of an update with these sequences."""
    size = min(recipe.micro_batch, len(rows))
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    seconds = sum(seconds_of_step(model, part, pad, dtype)[0] for part in parts)
    return seconds * (1 + REFERENCE * bool(recipe.beta))


def seconds_of_step(model: Any, rows: Sequence[Tokens], pad: int, dtype: str) -> tuple[float, int]:
    """Seconds of a forward and backward pass, and the tokens that it reads."""
    batch = {name: tensor.to(model.device) for name, tensor in batch_of(rows, pad).items()}

    def once() -> float:
        begun = time.perf_counter()
        found = label_log_probabilities(model, batch, dtype)
        (-found.log_probabilities.mean()).backward()
        model.zero_grad(set_to_none=True)
        return time.perf_counter() - begun

    once()
    return once(), int(batch["attention_mask"].sum())


def memory(model: Any, learned: int) -> float:
    """Bytes at the most so far, and the two moments and the gradient that AdamW keeps of what learns."""
    import torch

    moments = 3 * 4 * learned
    if model.device.type == "cuda":
        return float(torch.cuda.max_memory_allocated() + moments)
    unit = 1 if sys.platform == "darwin" else 1024
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + moments)
