"""Tiny games which show that `econzoo.envs.core` has nothing of bargaining in it.

``pennies`` is simultaneous, ``coin`` has chance and a hidden side, and from ``lowest_bid`` seats leave early.
The moves of ``division`` are a group of counts, those of ``budget`` a price, a quantity and a choice, for which a purse
must pay. In ``punish`` and ``talk_then_bid`` now one seat moves and now several; a move of ``punish`` names a seat.
In ``tender`` values are drawn from a continuum, bids are hidden until they are opened, and words are for one ear.
In ``principal_agent`` effort stays hidden, nature moves once a contract is accepted, and actions come in parts.
They are known to EconZoo, Gymnasium and PettingZoo only inside `register_temporarily`.
"""

from __future__ import annotations

import econzoo
from econzoo.testing.playing import register_temporarily
from toy import budget, coin, division, lowest_bid, pennies, principal_agent, punish, talk_then_bid, tender

__all__ = ["BUDGET", "COIN", "DIVISION", "GAMES", "LOWEST_BID", "PENNIES", "PUNISH", "TALK_THEN_BID", "TENDER", "TOYS"]
__all__ += ["PRINCIPAL_AGENT", "register_temporarily"]

PENNIES, COIN, LOWEST_BID = pennies.GAME, coin.GAME, lowest_bid.GAME
DIVISION, BUDGET, PUNISH, TALK_THEN_BID = division.GAME, budget.GAME, punish.GAME, talk_then_bid.GAME
TENDER, PRINCIPAL_AGENT = tender.GAME, principal_agent.GAME
SEVERAL_FIELDS = {game.name: game for game in (DIVISION, BUDGET, PUNISH, TALK_THEN_BID, TENDER)}
TOYS = {game.name: game for game in (PENNIES, COIN, LOWEST_BID, PRINCIPAL_AGENT)} | SEVERAL_FIELDS

GAMES = {**{name: econzoo.game(name) for name in econzoo.games()}, **TOYS}
"""Every registered game, and the toys."""
