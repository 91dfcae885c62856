"""How often intervals are to cover, by how much a simulation may be off, and where they cannot."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.coverage.cells import Cell

LOW, HIGH = 0.93, 0.97
"""Shares of intervals that hold the truth."""

SIGMAS = 3.0
"""Standard errors of a simulation by which it may be off."""

YES = "mean: yes"
"""How the names begin of shares of matches that end in one of two ways."""

WHOLE_ROUNDS = "a median is a whole round: one of the two ends can miss, the other hardly ever"
WHOLE_ANSWERS = "of ten answers there are few values that F1 can have"
ELSEWHERE: Mapping[tuple[str, int], str] = {("F1", 10): WHOLE_ANSWERS}
"""Other reasons, by estimator and matches."""


def within(cell: Cell) -> bool:
    """Whether what was simulated is from `LOW` to `HIGH`, but for the error of a simulation."""
    low, high = bounds(cell.draws)
    return low <= cell.covered <= high


def bounds(draws: int, sigmas: float = SIGMAS) -> tuple[float, float]:
    """`LOW` and `HIGH`, so many standard errors of a simulation further apart."""
    below, above = (sigmas * math.sqrt(share * (1 - share) / draws) for share in (LOW, HIGH))
    return LOW - below, min(HIGH + above, 1.0)


def attainable(cases: int, share: float) -> tuple[float, float]:
    """What an interval can cover of a share of independent cases: the nearest below 0.95 and above.

    It holds the share for some numbers of yes that follow each other, among them the likeliest; by symmetry as many on
    either side if the share is one half.

    Args:
        cases: How many there are.
        share: The true one.
    """
    covered = sorted(set(_sums(cases, share)))
    return max([one for one in covered if one < 0.95], default=0.0), min(one for one in covered if one >= 0.95)


def _sums(cases: int, share: float) -> Iterator[float]:
    chances = [math.comb(cases, k) * share**k * (1 - share) ** (cases - k) for k in range(cases + 1)]
    top = min(range(cases + 1), key=lambda k: abs(k - share * cases))
    for first in range(top + 1):
        for last in range(top, cases + 1):
            if share != 0.5 or first + last == cases:
                yield round(sum(chances[first : last + 1]), 9)


def reason(cell: Cell) -> str:
    """Why a cell is not within the bounds; empty if nothing is known that says so."""
    if cell.estimator.startswith(YES):
        low, high = attainable(cell.settings * cell.seeds, cell.truth)
        if low < LOW and high > HIGH:
            return (
                f"{cell.settings * cell.seeds} matches: a share of {cell.truth:.3g} is held by {low:.3f} or {high:.3f}"
            )
    if cell.estimator == "median round of agreement":
        return WHOLE_ROUNDS
    return ELSEWHERE.get((cell.estimator, cell.settings * cell.seeds), "")
