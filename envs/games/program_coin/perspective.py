"""What a seat can tell of the other's view and of the match: all of it, since both know the same."""

from __future__ import annotations

from econzoo.envs.games.program_coin.rules import Params, View
from econzoo.envs.programs.limits import Limits


def imagined(view: View, seat: int) -> View:
    """The other's view: what is own here is the other's there."""
    if seat == view.seat:
        return view
    return view._replace(
        seat=seat,
        own_score=view.other_score,
        other_score=view.own_score,
        own_last=view.other_last,
        other_last=view.own_last,
        took_own=view.other_took_own,
        took_other=view.lost,
        lost=view.took_other,
        other_took_own=view.took_own,
        own_failed=view.other_failed,
        other_failed=view.own_failed,
    )


def options(view: View) -> tuple[tuple[bool], tuple[float, float]]:
    """A program, as long as the match lasts."""
    return (not view.over,), (0.0, 0.0)


def market(view: View) -> Params:
    """The match as a seat is told of it; of the limits it knows the seconds, the others are the usual ones."""
    return Params(view.size, view.rounds, view.turns, tuple(Limits(seconds=view.seconds)), view.policies)
