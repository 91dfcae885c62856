"""What a seat can tell of the other's view: all of it, since both know the same."""

from __future__ import annotations

from econzoo.envs.games.matrix.rules import View


def imagined(view: View, seat: int) -> View:
    """The other's view: what is own here is the other's there, and in cells the moves are named the other way round."""
    if seat == view.seat:
        return view
    return view._replace(
        seat=seat,
        cc=view.other_cc,
        cd=view.other_dc,
        dc=view.other_cd,
        dd=view.other_dd,
        other_cc=view.cc,
        other_cd=view.dc,
        other_dc=view.cd,
        other_dd=view.dd,
        last_own=view.last_other,
        last_other=view.last_own,
        own_score=view.other_score,
        other_score=view.own_score,
        times_cd=view.times_dc,
        times_dc=view.times_cd,
    )


def options(view: View) -> tuple[tuple[bool, bool], tuple[float, float]]:
    """C and D, as long as the match lasts."""
    return (not view.over, not view.over), (0.0, 0.0)
