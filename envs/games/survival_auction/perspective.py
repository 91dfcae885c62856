"""What a player can tell of the others' positions: all but their bids of the day, which no view has."""

from __future__ import annotations

from econzoo.envs.core.contract import Bounds, infer_game_over
from econzoo.envs.families.survival import bid_range
from econzoo.envs.games.survival_auction.rules import View


def infer_view(view: View, seat: int) -> View:
    """Another player's view as inferred from the own one."""
    return view._replace(seat=seat, over=infer_game_over(view.over, view.died, view.seat, seat))


def options(view: View) -> tuple[tuple[bool], tuple[Bounds]]:
    """A bid is legal while alive."""
    return (view.over == 0,), bid_range(view.bound, view.salary * view.days)
