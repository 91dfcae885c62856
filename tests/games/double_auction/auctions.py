"""Positions of a double auction, reached move by move."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import CHANCE, Move
from econzoo.envs.games.double_auction import GAME, rules


def offered(draws: list[float], offers: tuple[float, ...], **market: Any) -> tuple[rules.Params, rules.State]:
    """A market in which nobody talks, after these values (and the lot) and these offers."""
    p = GAME.params(talk=0, **market)[1]
    s = rules.initial(p)
    for number in draws:
        s = rules.apply(p, s, (Move(CHANCE, (number, 0.0)),))
    return p, rules.apply(p, s, tuple([Move(rules.OFFER, (offer, 0.0)) for offer in offers]))
