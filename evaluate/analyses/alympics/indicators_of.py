"""The indicators of the ALYMPICS games for recorded matches; what they mean is said where the games define them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from econzoo.envs.core.record.record import Record
from econzoo.envs.families.k_level import adaption_index, mean
from econzoo.envs.games.guess_average import indicators as guess
from econzoo.envs.games.survival_auction import indicators as auction
from econzoo.evaluate.analyses.alympics.days import AUCTION, GUESS, days_of, params_of, steps
from econzoo.evaluate.analyses.alympics.predictions import calls_of, predictions_of


class PlayerIndicators(NamedTuple):
    """Of one player in one match of guess_average or survival_auction.

    Attributes:
        win_rate: Rounds won as a part of rounds played.
        survival_round: Last round that the player was in: the one in which it went out, or the last of all. A match
            that ends early because all are out is not stretched to its full length, as the public code does.
        adaption_index: Deviation in the second half over that in the first; NaN where it does not exist.
        prediction_error: Mean over the rounds with predictions; NaN if there are none.
        rounds_predicted: How many rounds have a prediction that can be read; NaN if the player never made one.
    """

    win_rate: float
    survival_round: int
    adaption_index: float
    prediction_error: float
    rounds_predicted: float


MEASURED: dict[str, Any] = {GUESS: guess, AUCTION: auction}
"""Modules with ``win_rate``, ``deviations`` and ``prediction_error``, by the name of the game."""

LENGTHS = {GUESS: "rounds", AUCTION: "days"}
"""The parameter that says how many rounds there are."""


def player_indicators(record: Record, seat: int = 0) -> PlayerIndicators:
    """Indicators of one player in a match of guess_average or survival_auction.

    Raises:
        ValueError: It is a match of another game, or does not fit the rules.
    """
    if record.game not in MEASURED:
        raise ValueError(f"players of {record.game} are not measured; allowed: {', '.join(MEASURED)}")
    measured, rounds = MEASURED[record.game], getattr(params_of(record), LENGTHS[record.game])
    days = days_of(record, record.game)
    told, errors = _predictions(record, seat)
    deviations, won = measured.deviations(days, seat), measured.win_rate(days, seat)
    return PlayerIndicators(won, len(deviations), adaption_index(deviations, rounds), mean(errors), told)


def _predictions(record: Record, seat: int) -> tuple[float, list[float]]:
    """Rounds with a prediction, NaN if the player never tried; and the error of each."""
    error, told = MEASURED[record.game].prediction_error, predictions_of(record, seat)
    played = {step.before.round: step.amounts for step in steps(record) if not math.isnan(step.amounts[seat])}
    errors = [error(list(told[at].values()), _of_others(amounts, seat)) for at, amounts in played.items() if at in told]
    return (float(len(errors)) if calls_of(record, seat) else math.nan), errors


def _of_others(amounts: tuple[float, ...], seat: int) -> list[float]:
    return [amount for other, amount in enumerate(amounts) if other != seat]
