"""Indicators of the guessing game: what Zhang et al. (2024, section 4) measure for one player of a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from econzoo.envs.families import k_level


class Round(NamedTuple):
    """One round that is over. Tuples have one entry per seat.

    Attributes:
        round: 1-based.
        numbers: What was chosen; NaN for seats that were out.
        mean: Of the numbers.
        target: The fraction of it that was to be guessed.
        won: Who won.
        healths: Health points at the end of the round.
    """

    round: int
    numbers: tuple[float, ...]
    mean: float
    target: float
    won: tuple[bool, ...]
    healths: tuple[int, ...]


def played_rounds(rounds: Sequence[Round], seat: int) -> list[Round]:
    """The rounds that a seat was in: up to the one in which it went out, or the last of all."""
    return [one for one in rounds if not math.isnan(one.numbers[seat])]


def win_rate(rounds: Sequence[Round], seat: int) -> float:
    """Rounds won, alone or together, as a part of the rounds played, in [0, 1]; NaN if none was."""
    return k_level.mean([float(one.won[seat]) for one in played_rounds(rounds, seat)])


def deviations(rounds: Sequence[Round], seat: int) -> list[float]:
    """Distance of the own number from the target in each round that the seat played."""
    return [abs(one.numbers[seat] - one.target) for one in played_rounds(rounds, seat)]


prediction_error = partial(k_level.prediction_error, statistic=k_level.mean)
"""Distance between the mean of what was predicted for the others in a round and the mean of what they chose."""
