"""Decisions to learn from and decisions to predict, so that nothing of the second is known from the first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.prediction.decisions import Decision

PERSON, CONFIGURATION = SPLITS = ("person", "configuration")
"""What is held out: everybody's decisions in some configurations, or some persons' in all."""


class Split(NamedTuple):
    """Both sides.

    Attributes:
        train: To learn from.
        test: To predict.
        left_out: On neither side: decisions of held-out persons whose random numbers are those of the other side, and
            the other way round.
    """

    train: list[Decision]
    test: list[Decision]
    left_out: int


def hold_out(decisions: Sequence[Decision], by: str, share: float, seed: int, limit: int | None = None) -> Split:
    """Holds out some persons, or some configurations, and never a part of what shares its random numbers.

    By configuration everybody is on both sides. By person, matches of one setting and seed (`Decision.cluster`) are on
    one side: on that of the persons in them where these are all on one side, else on one that is drawn.

    Args:
        decisions: To be divided.
        by: One of `SPLITS`.
        share: Of the units that are held out, between 0 and 1; at least one is, and one is not.
        seed: Of the draw.
        limit: Decisions to predict, at most; None: all.

    Raises:
        ValueError: There are no two persons or configurations, or nothing is left on a side.
    """
    unit = [getattr(one, by) for one in decisions]
    if len(set(unit)) < 2:
        other = next(name for name in SPLITS if name != by)
        raise ValueError(f"split={by!r} needs decisions in two {by}s or more, found {len(set(unit))}; allowed: {other}")
    rng = np.random.default_rng(seed)
    held = _drawn(unit, share, rng)
    tested = held if by == CONFIGURATION else _clusters(decisions, held, share, rng)
    common = unit if by == CONFIGURATION else [one.cluster for one in decisions]
    sides = [(mine in held, own in tested) for mine, own in zip(unit, common, strict=True)]
    train = [one for one, side in zip(decisions, sides, strict=True) if side == (False, False)]
    test = [one for one, side in zip(decisions, sides, strict=True) if side == (True, True)]
    if not train or not test:
        empty = "to learn from" if not train else "to predict"
        raise ValueError(f"split={by!r} leaves no decision {empty}: persons share all their seeds; try another --seed")
    left_out = len(decisions) - len(train) - len(test)
    if limit is not None and limit < len(test):
        test = [test[at] for at in sorted(rng.permutation(len(test))[:limit].tolist())]
    return Split(train, test, left_out)


def _drawn(names: Iterable[str], share: float, rng: np.random.Generator) -> set[str]:
    """Some of the names, at least one and not all."""
    every = sorted(set(names))
    count = min(max(1, round(share * len(every))), len(every) - 1)
    return set(rng.permutation(np.array(every, dtype=object))[:count].tolist())


def _clusters(decisions: Sequence[Decision], held: set[str], share: float, rng: np.random.Generator) -> set[str]:
    """The clusters that are held out with these persons."""
    within: dict[str, set[bool]] = defaultdict(set)
    for one in decisions:
        within[one.cluster].add(one.person in held)
    mixed = [name for name, sides in within.items() if len(sides) > 1]
    drawn = _drawn(mixed, share, rng) if len(mixed) > 1 else set(mixed)
    return drawn | {name for name, sides in within.items() if sides == {True}}
