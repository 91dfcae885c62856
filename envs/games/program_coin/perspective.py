"""A seat's inference of the other's view and of the match: complete, as both have the same information."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import swap_sides
from econzoo.envs.families.open_source import Limits
from econzoo.envs.games.coin_game.perspective import LAST_ROUND_PAIRS
from econzoo.envs.games.program_coin.rules import Params


def infer_view(view: Any, seat: int) -> Any:
    """Infer the other's view by swapping own and other fields."""
    return swap_sides(view, seat, *LAST_ROUND_PAIRS)


def options(view: Any) -> tuple[tuple[bool], tuple[()]]:
    """A program, until the end."""
    return (not view.over,), ()


def params_from_view(view: Any) -> Params:
    """Reconstruct the match from a view; limits other than seconds are not observed and have their defaults."""
    return Params(view.size, view.rounds, view.turns, tuple(Limits(seconds=view.seconds)), view.policies)
