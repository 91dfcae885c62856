"""Split of decisions into training and test sets without leakage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses.prediction.decisions import Decision

PERSON, CONFIGURATION = SPLITS = ("person", "configuration")
"""Held-out units: all decisions of some persons, or of all persons in some configurations."""


class Split(NamedTuple):
    """Training and test decisions.

    Attributes:
        excluded: Number of decisions in neither set because they share random numbers with the other set.
    """

    train: list[Decision]
    test: list[Decision]
    excluded: int


def hold_out(decisions: Sequence[Decision], by: str, share: float, seed: int, limit: int | None = None) -> Split:
    """Hold out persons or configurations of each game, keeping shared random numbers in one set.

    By configuration, persons are in both sets. By person, matches of one setting and seed (`Decision.cluster`) are in
    one set: that of their persons if these agree, else a random one.

    Args:
        share: Fraction of units held out, in (0, 1); at least one unit is in each set. A game with one unit is in
            neither set.
        limit: Maximum number of test decisions; None: all.
    """
    most = max(len({getattr(one, by) for one in decisions if one.game == game}) for game in {o.game for o in decisions})
    if most < 2:
        other = next(name for name in SPLITS if name != by)
        raise ValueError(f"invalid split={by!r} with {most} {by} per game: expected at least 2, or split={other}")
    # Each game is split by itself, so that all have both sets.
    rng, side = np.random.default_rng(seed), dict[str, bool | None]()
    for game in dict.fromkeys(one.game for one in decisions):
        side |= _sides([one for one in decisions if one.game == game], by, share, rng)
    train, test = ([one for one in decisions if side[one.id] is tested] for tested in (False, True))
    if not train or not test:
        empty = "training" if not train else "test"
        raise ValueError(f"split={by!r} leaves no {empty} decisions: persons share their seeds; try another --seed")
    excluded = len(decisions) - len(train) - len(test)
    if limit is not None and limit < len(test):
        test = [test[at] for at in sorted(rng.permutation(len(test))[:limit].tolist())]
    return Split(train, test, excluded)


def _sides(decisions: Sequence[Decision], by: str, share: float, rng: np.random.Generator) -> dict[str, bool | None]:
    """Return whether each decision of a game is in the test set, by id; None: in neither set."""
    unit = [getattr(one, by) for one in decisions]
    if len(set(unit)) < 2:
        return dict.fromkeys([one.id for one in decisions])
    held = _sample_names(unit, share, rng)
    tested = held if by == CONFIGURATION else _clusters(decisions, held, share, rng)
    # Random numbers belong to a configuration, so with it they are all in one set.
    common = unit if by == CONFIGURATION else [one.cluster for one in decisions]
    both = zip(decisions, [one in held for one in unit], [one in tested for one in common], strict=True)
    return {one.id: mine if mine == own else None for one, mine, own in both}


def _sample_names(names: Iterable[str], share: float, rng: np.random.Generator) -> set[str]:
    """Sample names, at least one and not all."""
    every = sorted(set(names))  # the sample depends on the seed, not on the order of records
    count = min(max(1, round(share * len(every))), len(every) - 1)
    return set(rng.permutation(np.array(every, dtype=object))[:count].tolist())


def _clusters(decisions: Sequence[Decision], held: set[str], share: float, rng: np.random.Generator) -> set[str]:
    """Return the clusters to hold out with these persons."""
    within: dict[str, set[bool]] = defaultdict(set)
    for one in decisions:
        within[one.cluster].add(one.person in held)
    mixed = [name for name, sides in within.items() if len(sides) > 1]
    # Clusters of persons of both sets: in either set, some of their decisions are lost.
    sampled = _sample_names(mixed, share, rng) if len(mixed) > 1 else set(mixed)
    return sampled | {name for name, sides in within.items() if sides == {True}}
