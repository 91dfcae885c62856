"""What a seat can tell of the other's view and of the match: all of it, since both know the same."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.perspectives import swap_sides
from econzoo.envs.families.open_source.limits import Limits
from econzoo.envs.games.coin_game.perspective import LAST_ROUND_PAIRS
from econzoo.envs.games.program_coin.rules import Params


def infer_view(view: Any, seat: int) -> Any:
    """The other's view: what is own here is the other's there."""
    return swap_sides(view, seat, *LAST_ROUND_PAIRS)


def options(view: Any) -> tuple[tuple[bool], tuple[()]]:
    """A program, as long as the match lasts."""
    return (not view.over,), ()


def params_from_view(view: Any) -> Params:
    """The match as a seat is told of it; of the limits it knows the seconds, the others are the usual ones."""
    return Params(view.size, view.rounds, view.turns, tuple(Limits(seconds=view.seconds)), view.policies)
