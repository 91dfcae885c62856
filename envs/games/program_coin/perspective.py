"""What a seat can tell of the other's view and of the match: all of it, since both know the same."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.perspectives import exchanged
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.games.coin_game.perspective import TAKEN
from econzoo.envs.games.program_coin.rules import Params


def imagined(view: Any, seat: int) -> Any:
    """The other's view: what is own here is the other's there."""
    return exchanged(view, seat, *TAKEN)


def options(view: Any) -> tuple[tuple[bool], tuple[()]]:
    """A program, as long as the match lasts."""
    return (not view.over,), ()


def market(view: Any) -> Params:
    """The match as a seat is told of it; of the limits it knows the seconds, the others are the usual ones."""
    return Params(view.size, view.rounds, view.turns, tuple(Limits(seconds=view.seconds)), view.policies)
