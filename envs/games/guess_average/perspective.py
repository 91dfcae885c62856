"""A seat's inference of the others' views: everything but the numbers of the current round, which no view shows."""

from __future__ import annotations

from econzoo.envs.core.contract import Bounds, infer_game_over
from econzoo.envs.games.guess_average.rules import View


def infer_view(view: View, seat: int) -> View:
    """Infer another seat's view."""
    return view._replace(seat=seat, over=infer_game_over(view.over, view.out, view.seat, seat))


def options(view: View) -> tuple[tuple[bool], tuple[Bounds]]:
    """A number, until eliminated."""
    return (view.over == 0,), ((float(view.low), float(view.high)),)
