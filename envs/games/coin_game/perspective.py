"""What a seat can tell of the other's position: everything but its step of the round, which no view has."""

from __future__ import annotations

from econzoo.envs.core.contract.perspectives import exchanged
from econzoo.envs.games.coin_game.rules import View

TAKEN = (("took_own", "other_took_own"), ("took_other", "lost"))
"""What the coins that both seats took in a round are called by the one and by the other."""

PAIRS = (*TAKEN, ("times_own", "times_other_own"), ("times_other", "times_lost"))


def imagined(view: View, seat: int) -> View:
    """The other seat's view, which is the own one with both sides exchanged."""
    return exchanged(view, seat, *PAIRS)


def options(view: View) -> tuple[tuple[bool, ...], tuple[()]]:
    """All four steps, until the match is over."""
    return (view.over == 0,) * 4, ()
