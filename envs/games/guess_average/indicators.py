"""Indicators of the guessing game: metrics of Zhang et al. (2024, section 4) for one player in a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from econzoo.envs.families import k_level


class Round(NamedTuple):
    """A completed round. Tuples have one entry per seat.

    Attributes:
        round: 1-based.
        numbers: Chosen numbers; NaN for eliminated seats.
        target: Target, a fraction of the mean.
    """

    round: int
    numbers: tuple[float, ...]
    mean: float
    target: float
    won: tuple[bool, ...]
    healths: tuple[int, ...]


def played_rounds(rounds: Sequence[Round], seat: int) -> list[Round]:
    """Rounds that a seat played, up to its elimination or the end."""
    return [one for one in rounds if not math.isnan(one.numbers[seat])]


def win_rate(rounds: Sequence[Round], seat: int) -> float:
    """Share of rounds played that the seat won, alone or with others, in [0, 1]; NaN if none was played."""
    return k_level.mean([float(one.won[seat]) for one in played_rounds(rounds, seat)])


def deviations(rounds: Sequence[Round], seat: int) -> list[float]:
    """Absolute distance of the seat's number from the target in each round that it played."""
    return [abs(one.numbers[seat] - one.target) for one in played_rounds(rounds, seat)]


prediction_error = partial(k_level.prediction_error, statistic=k_level.mean)
"""Absolute difference between the mean predicted and the mean actual number of the others in a round."""
