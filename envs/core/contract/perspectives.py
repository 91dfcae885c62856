"""What the perspectives of games have in common: what a seat can tell of another's view (a game's ``perspective.py``).

The functions that a ``perspective`` module defines, each a function of views alone:

    imagined(view, seat) -> View             another seat's view as far as this seat can tell; UNKNOWN where it cannot
    options(view) -> (kinds, bounds)         what the seat of a view may do if it is its turn, as the rules say it
    replying(view, move, seat) -> View | None           another seat's view when it has to answer an own `Move`; None if
                                             it would not (needed if seats take turns)
    speaks(view, seat) -> bool               whether another seat may use words, if that is not as for the own seat
    witnessed(view, events) -> events        of the events, those that the seat of an imagined view has seen, if not all
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract.game import UNKNOWN


def infer_game_over(over: float, out: Sequence[int], own: int, seat: int) -> Any:
    """Whether the game has ended for a seat, where a seat that went out no longer learns whether others play on.

    Args:
        over: Whether it has ended for the own seat, 1 or 0.
        out: When each seat went out; 0 for those that are in.
        own: The seat that looks.
        seat: Whose game.

    Returns:
        1, 0, or UNKNOWN.
    """
    if out[seat] or min(out):
        return 1
    return UNKNOWN if out[own] else over


def swap_sides(view: Any, seat: int, *pairs: tuple[str, str]) -> Any:
    """Another seat's view in a game of two in which both know the same: the own one with both sides exchanged.

    Args:
        view: Of a seat.
        seat: Whose view is wanted.
        pairs: Fields that take each other's place. Fields called own_X and other_X do so anyway.
    """
    if seat == view.seat:
        return view
    partners = _partner_fields(view._fields, pairs)
    return view._replace(seat=seat, **{field: getattr(view, partner) for field, partner in partners.items()})


@lru_cache
def _partner_fields(fields: tuple[str, ...], pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Which field of the other side stands for each field of a view."""
    named = [(field, "other_" + field.removeprefix("own_")) for field in fields if field.startswith("own_")]
    both = [*pairs, *named]
    return dict([*both, *[(partner, field) for field, partner in both]])
