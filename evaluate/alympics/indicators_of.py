"""The indicators of the ALYMPICS games for recorded matches; what they mean is said where the games define them."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from econzoo.baselines.parts.reasoning.thinking import PredictThenAct
from econzoo.envs.core.actions import Legal
from econzoo.envs.core.parse import parse_reply
from econzoo.envs.core.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.values import Invalid
from econzoo.envs.games.guess_average import indicators as guess
from econzoo.envs.games.survival_auction import indicators as auction
from econzoo.envs.games.water_allocation import indicators as water
from econzoo.envs.games.water_allocation import solution as water_solution
from econzoo.envs.survival.k_level import mean
from econzoo.envs.survival.watering import Allocation
from econzoo.envs.survival.watering_program import TIME_LIMIT
from econzoo.evaluate.alympics.days import auction_days, guess_rounds, params_of, water_days


class WaterIndicators(NamedTuple):
    """Of one match of water_allocation.

    Attributes:
        rsr_start: Expected supply over what all need.
        rsr_end: The same for those alive at the end; NaN if nobody is.
        survivors: How many are alive at the end.
        lives: Who is alive at the end.
        minimum_bids: Minimum successful bid of each day in dollars; NaN for days without winner.
    """

    rsr_start: float
    rsr_end: float
    survivors: int
    lives: tuple[bool, ...]
    minimum_bids: tuple[float, ...]


class PlayerIndicators(NamedTuple):
    """Of one player in one match of guess_average or survival_auction.

    Attributes:
        win_rate: Rounds won as a part of rounds played.
        survival_round: Last round that the player was in.
        adaption_index: Deviation in the second half over that in the first; NaN where it does not exist.
        prediction_error: Mean over the rounds with predictions; NaN if there are none.
    """

    win_rate: float
    survival_round: int
    adaption_index: float
    prediction_error: float


def water_indicators(record: Record) -> WaterIndicators:
    """Indicators of a match of water_allocation.

    Raises:
        ValueError: It is a match of another game, or does not fit the rules.
    """
    days, params = water_days(record), params_of(record)
    return WaterIndicators(
        water.rsr_start(params),
        water.rsr_end(params, days),
        water.survivors(params, days),
        water.living(params, days),
        tuple([water.minimum_successful_bid(day) for day in days]),
    )


def guess_indicators(record: Record, seat: int = 0) -> PlayerIndicators:
    """Indicators of one player in a match of guess_average.

    Raises:
        ValueError: It is a match of another game, or does not fit the rules.
    """
    rounds, length = guess_rounds(record), params_of(record).rounds
    told = predictions_of(record, seat)
    errors = [
        guess.prediction_error(list(told[one.round].values()), _of_others(one.numbers, seat))
        for one in guess.played(rounds, seat)
        if one.round in told
    ]
    return PlayerIndicators(
        guess.win_rate(rounds, seat),
        guess.survival_round(rounds, seat),
        guess.adaption_index(rounds, seat, length),
        mean(errors),
    )


def auction_indicators(record: Record, seat: int = 0) -> PlayerIndicators:
    """Indicators of one player in a match of survival_auction.

    Raises:
        ValueError: It is a match of another game, or does not fit the rules.
    """
    days, length = auction_days(record), params_of(record).days
    told = predictions_of(record, seat)
    errors = [
        auction.prediction_error(list(told[day.day].values()), _of_others(day.bids, seat))
        for day in auction.played(days, seat)
        if day.day in told
    ]
    return PlayerIndicators(
        auction.win_rate(days, seat),
        auction.survival_round(days, seat),
        auction.adaption_index(days, seat, length),
        mean(errors),
    )


def _of_others(amounts: tuple[float, ...], seat: int) -> list[float]:
    return [amount for other, amount in enumerate(amounts) if other != seat]


# What a player predicted


def predictions_of(record: Record, seat: int) -> dict[int, dict[int, float]]:
    """What a player predicted for the others, round by round: from the calls that its turns recorded.

    A simulation in the place of another seat counts as it would if that seat had answered so; of several, the last. A
    prediction in free text counts for a seat where one line names that seat, no other, and holds one number. What
    cannot be read so is left out: it is no prediction.

    Args:
        record: The match.
        seat: Whose predictions.

    Returns:
        Round to (seat to amount); rounds without predictions are left out.
    """
    found: dict[int, dict[int, float]] = {}
    for turn in record.turns:
        if turn.seat == seat and turn.action is not None:
            told = {**_written(record, turn), **_simulated(record, turn)}
            if told:
                found[turn.round] = told
    return found


def _simulated(record: Record, turn: Turn) -> dict[int, float]:
    game = find_game(record.game)
    anything = Legal((True,) * len(game.actions.kinds), (0.0, math.inf), False)
    calls = [call for call in turn.calls if call["purpose"] == "simulation"]
    last = {call["about"]: call["reply"] for call in calls if call["about"] not in (None, turn.seat)}
    read = {seat: parse_reply(reply, game.actions, anything) for seat, reply in last.items()}
    return {seat: game.actions.move(one)[1] for seat, one in read.items() if not isinstance(one, Invalid)}


NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")


def _written(record: Record, turn: Turn) -> dict[int, float]:
    game = find_game(record.game)
    names = game.roles(len(record.players), record.params)
    found: dict[int, float] = {}
    for call in turn.calls:
        if call["purpose"] == PredictThenAct.purpose:
            for line in call["reply"].splitlines():
                seats = [i for i, name in enumerate(names) if re.search(rf"\b{re.escape(name)}\b", line)]
                numbers = NUMBER.findall(line)
                if len(seats) == len(numbers) == 1 and seats[0] != turn.seat:
                    found[seats[0]] = float(numbers[0])
    return found


# What could have been


def most_survivors_of(record: Record, time_limit: float = TIME_LIMIT) -> Allocation:
    """Who could have lived through the days that a match of water_allocation lasted, with its supplies.

    Raises:
        ValueError: It is a match of another game, or none of its days is over.
        ImportError: scipy is not installed.
    """
    supplies = [day.supply for day in water_days(record)]
    return water_solution.most_survivors(params_of(record), supplies, time_limit)


def price_of_anarchy_of(record: Record, time_limit: float = TIME_LIMIT) -> float:
    """The greatest possible sum of payoffs in the days of a match of water_allocation over the sum that was reached.

    Raises:
        ValueError: It is a match of another game, or none of its days is over.
        ImportError: scipy is not installed.
    """
    supplies = [day.supply for day in water_days(record)]
    return water_solution.price_of_anarchy(params_of(record), supplies, record.payoffs, time_limit)
