"""Indicators of the guessing game: what Zhang et al. (2024, section 4) measure for one player of a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from econzoo.envs.families import k_level


class Round(NamedTuple):
    """One round that is over. Tuples have one entry a seat.

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


def played(rounds: Sequence[Round], seat: int) -> list[Round]:
    """The rounds that a seat was in."""
    return [one for one in rounds if not math.isnan(one.numbers[seat])]


def win_rate(rounds: Sequence[Round], seat: int) -> float:
    """Rounds won, alone or together, as a part of the rounds played, in [0, 1]; NaN if none was."""
    return k_level.mean([float(one.won[seat]) for one in played(rounds, seat)])


def deviations(rounds: Sequence[Round], seat: int) -> list[float]:
    """Distance of the own number from the target in each round that the seat played."""
    return [k_level.distance(one.numbers[seat], one.target) for one in played(rounds, seat)]


def adaption_index(rounds: Sequence[Round], seat: int, length: int) -> float:
    """Deviation from the target in the second half of the match over that in the first.

    Args:
        rounds: That are over.
        seat: Whose.
        length: Rounds that the match can last; see `econzoo.envs.families.k_level.adaption_index`.
    """
    return k_level.adaption_index(deviations(rounds, seat), length)


def survival_round(rounds: Sequence[Round], seat: int) -> int:
    """The last round that the seat was in: the one in which it went out, or the last of all; 0 if none is over."""
    return len(played(rounds, seat))


def prediction_error(predicted: Sequence[float], chosen: Sequence[float]) -> float:
    """Distance between the mean of what was predicted for the others in a round and the mean of what they chose.

    The paper calls it prediction accuracy; lower is better.

    Args:
        predicted: Numbers, one for each other player that is in; NaN for none.
        chosen: What they chose; NaN for who was out.

    Returns:
        A distance >= 0; NaN if there was no prediction, or nobody left to predict.
    """
    return k_level.distance(k_level.mean(predicted), k_level.mean(chosen))
