"""A seat's inference of the other's view: everything but the steps of the current round, which no view shows."""

from __future__ import annotations

from econzoo.envs.core.contract import swap_sides
from econzoo.envs.games.coin_game.rules import View

LAST_ROUND_PAIRS = (("took_own", "other_took_own"), ("took_other", "lost"))
"""Fields on the coins taken in a round that swap between the seats."""

PAIRS = (*LAST_ROUND_PAIRS, ("times_own", "times_other_own"), ("times_other", "times_lost"))


def infer_view(view: View, seat: int) -> View:
    """Infer the other seat's view: the own one with both sides swapped."""
    return swap_sides(view, seat, *PAIRS)


def options(view: View) -> tuple[tuple[bool, ...], tuple[()]]:
    """All four steps, until the end."""
    return (view.over == 0,) * 4, ()
