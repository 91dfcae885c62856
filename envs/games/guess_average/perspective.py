"""What a seat can tell of the others' positions: all but their numbers of the round, which no view has."""

from __future__ import annotations

from econzoo.envs.core.contract.game import Bounds
from econzoo.envs.core.contract.perspectives import infer_game_over
from econzoo.envs.games.guess_average.rules import View


def infer_view(view: View, seat: int) -> View:
    """Another seat's view as far as this seat can tell."""
    return view._replace(seat=seat, over=infer_game_over(view.over, view.out, view.seat, seat))


def options(view: View) -> tuple[tuple[bool], tuple[Bounds]]:
    """A number, while in."""
    return (view.over == 0,), ((float(view.low), float(view.high)),)
