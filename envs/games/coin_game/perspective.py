"""What a seat can tell of the other's position: everything but its step of the round, which no view has."""

from __future__ import annotations

from econzoo.envs.core.contract.perspectives import swap_sides
from econzoo.envs.games.coin_game.rules import View

LAST_ROUND_PAIRS = (("took_own", "other_took_own"), ("took_other", "lost"))
"""What the coins that both seats took in a round are called by the one and by the other."""

PAIRS = (*LAST_ROUND_PAIRS, ("times_own", "times_other_own"), ("times_other", "times_lost"))


def infer_view(view: View, seat: int) -> View:
    """The other seat's view, which is the own one with both sides exchanged."""
    return swap_sides(view, seat, *PAIRS)


def options(view: View) -> tuple[tuple[bool, ...], tuple[()]]:
    """All four steps, until the match is over."""
    return (view.over == 0,) * 4, ()
