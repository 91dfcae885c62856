"""Who meets whom: the same others, others who are drawn anew, or nobody twice."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

__all__ = ["Match", "Round", "neighbours", "random_partners", "strangers"]

Match = tuple[int, ...]
"""Participants who play together."""

Round = list[Match]
"""Matches of all participants of a matching group, once each."""

TRIES = 200
"""Random searches for strangers in groups of three or more."""


def neighbours(people: Sequence[int], size: int) -> Round:
    """Matches of so many of whom each comes right after the other."""
    return [tuple(people[at : at + size]) for at in range(0, len(people), size)]


def random_partners(people: Sequence[int], sizes: Sequence[int], rng: random.Random) -> list[Round]:
    """Matches that are drawn anew in every round, of so many participants in each."""
    return [neighbours(rng.sample(people, len(people)), size) for size in sizes]


def strangers(people: Sequence[int], size: int, rounds: int, rng: random.Random) -> list[Round] | None:
    """Rounds in which nobody meets anybody twice; None: there are none, or none was found.

    Of pairs there always are as many as participants less one: all stay in a circle but one, which turns by a place
    from round to round (Kirkman 1847). Matches of more are sought: shifted columns, which do for many numbers, then
    at random.
    """
    if size == 1:
        return [neighbours(people, 1)] * rounds
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
    """The circle method: the first stays, the others move on by `turn` places, who faces each other plays."""
    rest = order[1:]
    turn %= len(rest)
    circle = [order[0], *rest[turn:], *rest[:turn]]
    return [(circle[place], circle[-1 - place]) for place in range(len(circle) // 2)]


def _shift_columns(order: Sequence[int], size: int, rounds: int) -> list[Round]:
    """Columns of a table of participants, each shifted against the one before it by as many rows as rounds passed."""
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
    """A random search: matches are filled one by one with who has met nobody in them."""
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
