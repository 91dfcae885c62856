"""Partner matching: fixed, random, or strangers only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

__all__ = ["Match", "Round", "neighbours", "random_partners", "strangers"]

Match = tuple[int, ...]
"""Participants of a match."""

Round = list[Match]
"""Matches of a matching group in which each participant plays once."""

TRIES = 200
"""Random searches for stranger rounds in matches of three or more."""


def neighbours(people: Sequence[int], size: int) -> Round:
    """Return matches of `size` consecutive participants."""
    return [tuple(people[at : at + size]) for at in range(0, len(people), size)]


def random_partners(people: Sequence[int], sizes: Sequence[int], rng: random.Random) -> list[Round]:
    """Return random matches for each round; `sizes`: participants per match in each round."""
    return [neighbours(rng.sample(people, len(people)), size) for size in sizes]


def strangers(people: Sequence[int], size: int, rounds: int, rng: random.Random) -> list[Round] | None:
    """Return rounds in which no pair meets twice; None: none exist, or none was found.

    Pairs always allow one round fewer than participants, by the circle method (Kirkman 1847). For larger matches,
    shifted columns are tried first, then random search.
    """
    if size == 1:
        return [neighbours(people, 1)] * rounds
    # Each round takes size - 1 new partners, of at most all others.
    if rounds * (size - 1) > len(people) - 1:
        return None
    order = rng.sample(people, len(people))
    if size == 2:
        return [_rotate_circle(order, turn) for turn in range(rounds)]
    shifted = _shift_columns(order, size, rounds)
    if _has_no_repeats(shifted):
        return shifted
    return next(filter(None, (_search_rounds(order, size, rounds, rng) for _ in range(TRIES))), None)


def _rotate_circle(order: Sequence[int], turn: int) -> Round:
    """Circle method: the first participant is fixed, the others rotate by `turn`, opposite ones play."""
    rest = order[1:]
    turn %= len(rest)
    circle = [order[0], *rest[turn:], *rest[:turn]]
    return [(circle[place], circle[-1 - place]) for place in range(len(circle) // 2)]


def _shift_columns(order: Sequence[int], size: int, rounds: int) -> list[Round]:
    """Shift each column of a table of participants against the previous one by the number of the round."""
    rows = len(order) // size
    columns = [order[place * rows : (place + 1) * rows] for place in range(size)]
    return [
        [tuple(column[(row + place * turn) % rows] for place, column in enumerate(columns)) for row in range(rows)]
        for turn in range(rounds)
    ]


def _has_no_repeats(rounds: Sequence[Round]) -> bool:
    pairs = [pair for matches in rounds for match in matches for pair in combinations(sorted(match), 2)]
    return len(set(pairs)) == len(pairs)


def _search_rounds(order: Sequence[int], size: int, rounds: int, rng: random.Random) -> list[Round] | None:
    """Random search: fill matches one by one with participants who have not met."""
    met: dict[int, set[int]] = {one: set() for one in order}
    found = []
    for _ in range(rounds):
        matches = _fill_round(rng.sample(order, len(order)), size, met)
        if matches is None:
            return None
        for match in matches:
            for one in match:
                met[one].update(match)
        found.append(matches)
    return found


def _fill_round(left: list[int], size: int, met: dict[int, set[int]]) -> Round | None:
    matches: Round = []
    while left:
        match = [left.pop()]
        while len(match) < size:
            fits = next((one for one in left if not met[one].intersection(match)), None)
            if fits is None:
                return None
            left.remove(fits)
            match.append(fits)
        matches.append(tuple(match))
    return matches
