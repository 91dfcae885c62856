"""Shared helpers of a game's ``perspective.py``: what a seat can infer about another seat's view.

A ``perspective`` module defines these functions, which depend on views only:

    infer_view(view, seat) -> View                      another seat's view as far as it can be inferred, else UNKNOWN
    options(view) -> (kinds, bounds)                    legal kinds and bounds if it is the seat's turn
    infer_reply_view(view, move, seat) -> View | None   another seat's view when it replies to an own `Move`; None if
                                                        it does not (needed if seats take turns)
    speaks(view, seat) -> bool                          whether another seat may send messages, if not as the own seat
    visible_events(view, events) -> events              events observed by the seat of an inferred view, if not all
    params_from_view(view) -> Params                    parameters of the rules (for players that write programs)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from econzoo.envs.core.contract.game import UNKNOWN


def infer_game_over(over: float, out: Sequence[int], own: int, seat: int) -> Any:
    """Infer whether the game is over for a seat; departed seats do not observe whether others play on.

    Args:
        over: Whether it is over for the own seat, 1 or 0.
        out: Round in which each seat left; 0 for those still in.

    Returns:
        1, 0, or UNKNOWN.
    """
    # min(out) > 0: nobody is left, so all know that the game is over.
    if out[seat] or min(out):
        return 1
    return UNKNOWN if out[own] else over


def swap_sides(view: Any, seat: int, *pairs: tuple[str, str]) -> Any:
    """Return the other seat's view in a two-player game of common knowledge, by swapping the sides."""
    if seat == view.seat:
        return view
    partners = _partner_fields(view._fields, pairs)
    return view._replace(seat=seat, **{field: getattr(view, partner) for field, partner in partners.items()})


@lru_cache
def _partner_fields(fields: tuple[str, ...], pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Map each field of a view to that of the other side."""
    named = [(field, "other_" + field.removeprefix("own_")) for field in fields if field.startswith("own_")]
    both = [*pairs, *named]
    return dict([*both, *[(partner, field) for field, partner in both]])
