"""Indicators of the Coin Game: how much of what the players pick up is their own.

The share of own coins among those picked up is the measure of cooperation of the literature (Foerster et al. 2018:
0.5 is what a player gets that does not look at colours, 1 is full cooperation).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.game import Event
from econzoo.envs.games.coin_game.rules import State


class Taken(NamedTuple):
    """Coins that a player has taken.

    Attributes:
        own: Of its own colour.
        others: Of the other's colour.
    """

    own: int
    others: int


def taken(state: State, seat: int) -> Taken:
    """What a seat has taken up to a position."""
    return Taken(state.own[seat], state.others[seat])


def taken_in(events: Iterable[Event], seat: int) -> Taken:
    """What a seat took in the rounds of a history."""
    results: list[Any] = [event.fact for event in events if event.seat == seat]
    red, blue = sum([one.red for one in results]), sum([one.blue for one in results])
    return Taken(red, blue) if seat == 0 else Taken(blue, red)


def own_coin_fraction(*players: Taken) -> float:
    """Coins of the own colour as a part of all coins that the players took, in [0, 1]; NaN if they took none."""
    own, others = sum([one.own for one in players]), sum([one.others for one in players])
    return own / (own + others) if own + others else math.nan


def coins_a_round(players: Sequence[Taken], rounds: int) -> float:
    """Coins taken in a round, on average: how busy the players are, whatever the colours.

    Args:
        players: What each took.
        rounds: Rounds that were played, >= 1.
    """
    return sum([one.own + one.others for one in players]) / rounds
