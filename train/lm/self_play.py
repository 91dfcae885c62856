"""Matches that a model plays to learn from them: each of them several times, kept on the way."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines.models.loading import Loaded
from econzoo.baselines.player import Player
from econzoo.envs.core.record.record import Record, RecordFile, read_records
from econzoo.train.lm.model import check
from econzoo.train.lm.rollout import Policy, play_samples
from econzoo.train.lm.tickets import LEARNER, Ticket

if TYPE_CHECKING:
    from econzoo.train.lm.recipe import SampledRecipe

__all__ = ["PLAYS", "is_learner", "sampling_policy", "self_played"]

PLAYS = "plays.jsonl"
"""The matches of the model, in the folder of a training."""


def is_learner(spec: str) -> bool:
    """Whether a seat of such a match is the model's."""
    return spec.partition(":")[0] == LEARNER


def sampling_policy(recipe: SampledRecipe, loaded: Loaded, model: Any = None) -> Policy:
    """A model as something that plays.

    Args:
        recipe: Of the training.
        loaded: Tokenizer and model.
        model: What answers in place of that; the one in training.

    Raises:
        ValueError: A reply would leave no room for a prompt.
    """
    check(recipe.max_new_tokens < loaded.context, "max_new_tokens", recipe.max_new_tokens, f"below {loaded.context}")
    return Policy(
        loaded,
        temperature=recipe.temperature,
        max_new_tokens=recipe.max_new_tokens,
        max_length=loaded.context,
        constrained=recipe.constrained,
        batch_size=recipe.rollout_batch,
        model=model,
        seed=recipe.seed,
    )


def self_played(
    policy: Policy, drawn: Sequence[Ticket], plays: int, cast: Callable[[str], Player], file: Path | None = None
) -> list[Record]:
    """Plays every match several times, by sampling.

    Those played side by side draw from random numbers of their own, so that a run that was cut off goes on with the
    same matches as without the break.

    Args:
        policy: The model; so many replies as its ``batch_size`` are sampled at once.
        drawn: The matches.
        plays: How often each is played.
        cast: The player of every other spec.
        file: Of records, where they are kept and those found are not played again; None: nowhere.

    Returns:
        All of them.
    """
    kept = RecordFile(file) if file else None
    there = {record.id: record for record in read_records(file)} if file and file.exists() else {}
    size = max(1, policy.batch_size // plays)
    parts = [drawn[start : start + size] for start in range(0, len(drawn), size)]
    found: list[Record] = []
    for number, part in enumerate(parts):
        copies = [one for one in part for _ in range(plays)]
        ids = [one.match(f"{LEARNER}:{place}").id for place, one in enumerate(copies)]
        if not all(one in there for one in ids):
            own = replace(policy, asked=0, seed=policy.seed + 2**32 * (number + 1))
            for sample in play_samples(own, copies, cast):
                if kept and sample.record.id not in there:
                    kept.append(sample.record)
                there[sample.record.id] = sample.record
            print(f"played {len(found) + len(ids):,} of {len(drawn) * plays:,} matches", file=sys.stderr, flush=True)
        found += [there[one] for one in ids]
    return found
