"""A seat's inference of the other's view: complete, since both have the same information."""

from __future__ import annotations

from econzoo.envs.core.contract import swap_sides
from econzoo.envs.games.matrix.rules import View

CELL_PAIRS = (("cc", "other_cc"), ("cd", "other_dc"), ("dc", "other_cd"), ("dd", "other_dd"))
"""Payoff fields that swap between the seats."""


def infer_view(view: View, seat: int) -> View:
    """Infer the other's view by swapping own and other fields, and the order of moves in cells."""
    return swap_sides(view, seat, *CELL_PAIRS, ("last_own", "last_other"), ("times_cd", "times_dc"))


def options(view: View) -> tuple[tuple[bool, bool], tuple[()]]:
    """C and D, until the end."""
    return (not view.over, not view.over), ()
