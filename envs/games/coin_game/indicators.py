"""Indicators of the Coin Game: how much of what the players pick up is their own.

The share of own coins among those picked up is the measure of cooperation of the literature (Foerster et al. 2018:
0.5 is what a player gets that does not look at colours, 1 is full cooperation).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from econzoo.envs.games.coin_game.rules import State


class CoinCounts(NamedTuple):
    """Coins that a player has taken.

    Attributes:
        own: Of its own colour.
        others: Of the other's colour.
    """

    own: int
    others: int


def count_coins(state: State, seat: int) -> CoinCounts:
    """What a seat has taken up to a position."""
    return CoinCounts(state.own[seat], state.others[seat])


def own_coin_fraction(*players: CoinCounts) -> float:
    """Coins of the own colour as a part of all coins that the players took, in [0, 1]; NaN if they took none."""
    own, others = sum([one.own for one in players]), sum([one.others for one in players])
    return own / (own + others) if own + others else math.nan
