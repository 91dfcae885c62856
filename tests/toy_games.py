"""Three tiny games which show that `econzoo.envs.core` has nothing of bargaining in it.

``pennies`` is simultaneous, ``coin`` has chance and a hidden side, and from ``lowest_bid`` seats leave early. They
are known to EconZoo, Gymnasium and PettingZoo only inside `registered`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import gymnasium
import pettingzoo

from econzoo.envs.core import registry
from econzoo.envs.core.game import Game
from toy import coin, lowest_bid, pennies

PENNIES, COIN, LOWEST_BID = pennies.GAME, coin.GAME, lowest_bid.GAME
TOYS = {game.name: game for game in (PENNIES, COIN, LOWEST_BID)}


@contextmanager
def registered(*games: Game) -> Iterator[None]:
    """Makes games known for a while, and leaves no trace of them."""
    held = (
        registry._WHERE,
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

    makers = {"env": registry.make, "raw_env": registry.make_raw, "parallel_env": registry.make_parallel}
    return SimpleNamespace(**{key: partial(maker, name) for key, maker in makers.items()})
