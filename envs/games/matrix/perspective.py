"""What a seat can tell of the other's view: all of it, since both know the same."""

from __future__ import annotations

from econzoo.envs.core.contract.perspectives import swap_sides
from econzoo.envs.games.matrix.rules import View

CELL_PAIRS = (("cc", "other_cc"), ("cd", "other_dc"), ("dc", "other_cd"), ("dd", "other_dd"))
"""What the points of both seats are called by the one and by the other."""


def infer_view(view: View, seat: int) -> View:
    """The other's view: what is own here is the other's there, and in cells the moves are named the other way round."""
    return swap_sides(view, seat, *CELL_PAIRS, ("last_own", "last_other"), ("times_cd", "times_dc"))


def options(view: View) -> tuple[tuple[bool, bool], tuple[()]]:
    """C and D, as long as the match lasts."""
    return (not view.over, not view.over), ()
