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
        excluded: On neither side: decisions of held-out persons whose random numbers are those of the other side, and
            the other way round.
    """

    train: list[Decision]
    test: list[Decision]
    excluded: int


def hold_out(decisions: Sequence[Decision], by: str, share: float, seed: int, limit: int | None = None) -> Split:
    """Holds out some persons of each game, or some configurations, and no part of what shares its random numbers.

    By configuration everybody is on both sides. By person, matches of one setting and seed (`Decision.cluster`) are on
    one side: on that of the persons in them where these are all on one side, else on one that is drawn.

    Args:
        decisions: To be divided.
        by: One of `SPLITS`.
        share: Of the units that are held out, between 0 and 1; at least one is, and one is not. A game with one unit
            is on neither side.
        seed: Of the draw.
        limit: Decisions to predict, at most; None: all.

    Raises:
        ValueError: No game has two persons or configurations, or nothing is left on a side.
    """
    most = max(len({getattr(one, by) for one in decisions if one.game == game}) for game in {o.game for o in decisions})
    if most < 2:
        other = next(name for name in SPLITS if name != by)
        raise ValueError(f"split={by!r} needs a game with two {by}s or more, found {most}; allowed: {other}")
    rng, side = np.random.default_rng(seed), dict[str, bool | None]()
    for game in dict.fromkeys(one.game for one in decisions):
        side |= _sides([one for one in decisions if one.game == game], by, share, rng)
    train, test = ([one for one in decisions if side[one.id] is tested] for tested in (False, True))
    if not train or not test:
        empty = "to learn from" if not train else "to predict"
        raise ValueError(f"split={by!r} leaves no decision {empty}: persons share their seeds; try another --seed")
    left_out = len(decisions) - len(train) - len(test)
    if limit is not None and limit < len(test):
        test = [test[at] for at in sorted(rng.permutation(len(test))[:limit].tolist())]
    return Split(train, test, left_out)


def _sides(decisions: Sequence[Decision], by: str, share: float, rng: np.random.Generator) -> dict[str, bool | None]:
    """Whether each decision of a game, by its id, is to be predicted; None: it is on neither side."""
    unit = [getattr(one, by) for one in decisions]
    if len(set(unit)) < 2:
        return dict.fromkeys([one.id for one in decisions])
    held = _sample_names(unit, share, rng)
    tested = held if by == CONFIGURATION else _clusters(decisions, held, share, rng)
    common = unit if by == CONFIGURATION else [one.cluster for one in decisions]
    both = zip(decisions, [one in held for one in unit], [one in tested for one in common], strict=True)
    return {one.id: mine if mine == own else None for one, mine, own in both}


def _sample_names(names: Iterable[str], share: float, rng: np.random.Generator) -> set[str]:
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
    drawn = _sample_names(mixed, share, rng) if len(mixed) > 1 else set(mixed)
    return drawn | {name for name, sides in within.items() if sides == {True}}
