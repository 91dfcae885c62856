"""What a seat can tell of the other's position: everything but its step of the round, which no view has."""

from __future__ import annotations

from econzoo.envs.games.coin_game.rules import View


def imagined(view: View, seat: int) -> View:
    """The other seat's view, which is the own one with both sides exchanged."""
    if seat == view.seat:
        return view
    return view._replace(
        seat=seat,
        own_row=view.other_row,
        own_column=view.other_column,
        other_row=view.own_row,
        other_column=view.own_column,
        own_coin_row=view.other_coin_row,
        own_coin_column=view.other_coin_column,
        other_coin_row=view.own_coin_row,
        other_coin_column=view.own_coin_column,
        took_own=view.other_took_own,
        took_other=view.lost,
        lost=view.took_other,
        other_took_own=view.took_own,
        own_score=view.other_score,
        other_score=view.own_score,
        times_own=view.times_other_own,
        times_other=view.times_lost,
        times_lost=view.times_other,
        times_other_own=view.times_own,
        own_thefts=view.other_thefts,
        other_thefts=view.own_thefts,
    )


def options(view: View) -> tuple[tuple[bool, ...], tuple[float, float]]:
    """All four steps, until the match is over."""
    return (view.over == 0,) * 4, (0.0, 0.0)
