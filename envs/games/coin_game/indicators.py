"""Indicators of the Coin Game.

The literature measures cooperation by the share of own coins among those picked up (Foerster et al. 2018): 0.5 if
players ignore colours, 1 under full cooperation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from econzoo.envs.games.coin_game.rules import State


class CoinCounts(NamedTuple):
    """Counts of coins that a player has taken."""

    own: int
    others: int


def count_coins(state: State, seat: int) -> CoinCounts:
    """Count the coins that a seat has taken up to a position."""
    return CoinCounts(state.own[seat], state.others[seat])


def own_coin_fraction(*players: CoinCounts) -> float:
    """Share of own-colour coins among all coins taken, in [0, 1]; NaN if none was taken."""
    own, others = sum([one.own for one in players]), sum([one.others for one in players])
    return own / (own + others) if own + others else math.nan
