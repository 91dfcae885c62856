"""What a resident can tell of the others' positions: all but their bids of the day and their personas."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Bounds, infer_game_over
from econzoo.envs.families.survival import bid_range
from econzoo.envs.games.water_allocation.rules import View


def infer_view(view: View, seat: int) -> View:
    """Another resident's view as inferred from the own one; residents observe only their own persona."""
    if seat == view.seat:
        return view
    over = infer_game_over(view.over, view.died, view.seat, seat)
    persona: Any = UNKNOWN if view.persona else 0
    return view._replace(seat=seat, over=over, persona=persona)


def options(view: View) -> tuple[tuple[bool], tuple[Bounds]]:
    """A bid is legal while alive, once the supply is announced."""
    return (view.over == 0 and view.supply != UNKNOWN,), bid_range(view.bound, max(view.salaries) * view.days)
