"""Tiny games which show that `econzoo.envs.core` has nothing of bargaining in it.

``pennies`` is simultaneous, ``coin`` has chance and a hidden side, and from ``lowest_bid`` seats leave early.
The moves of ``division`` are a group of counts, those of ``budget`` a price, a quantity and a choice, for which a purse
must pay. In ``punish`` and ``talk_then_bid`` now one seat moves and now several; a move of ``punish`` names a seat.
In ``tender`` values are drawn from a continuum, bids are hidden until they are opened, and words are for one ear.
They are known to EconZoo, Gymnasium and PettingZoo only inside `registered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import gymnasium
import pettingzoo

from econzoo.envs import making
from econzoo.envs.core import registry
from econzoo.envs.core.contract.game import Game
from toy import budget, coin, division, lowest_bid, pennies, punish, talk_then_bid, tender

PENNIES, COIN, LOWEST_BID = pennies.GAME, coin.GAME, lowest_bid.GAME
DIVISION, BUDGET, PUNISH, TALK_THEN_BID = division.GAME, budget.GAME, punish.GAME, talk_then_bid.GAME
TENDER = tender.GAME
SEVERAL_FIELDS = {game.name: game for game in (DIVISION, BUDGET, PUNISH, TALK_THEN_BID, TENDER)}
TOYS = {game.name: game for game in (PENNIES, COIN, LOWEST_BID)} | SEVERAL_FIELDS


@contextmanager
def registered(*games: Game) -> Iterator[None]:
    """Makes games known for a while, and leaves no trace of them."""
    held = (
        registry._GAMES,
        registry._LOADED,
        gymnasium.registry,
        pettingzoo.aec_registry,
        pettingzoo.parallel_registry,
    )
    before = [set(table) for table in held]
    for game in games:
        registry.register_game(game.name, game, game.version)
    try:
        yield
    finally:
        for table, names in zip(held, before, strict=True):
            for name in set(table) - names:
                del table[name]


def module_of(name: str) -> SimpleNamespace:
    """What ``econzoo.envs.NAME_v0`` is for a game of the package."""
    from functools import partial

    makers = {"env": making.make, "raw_env": making.make_raw, "parallel_env": making.make_parallel}
    return SimpleNamespace(**{key: partial(maker, name) for key, maker in makers.items()})
