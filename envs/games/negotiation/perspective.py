"""A seat's inference of the other's view, from its own view only (no leakage)."""

from __future__ import annotations

from econzoo.envs.core.contract import UNKNOWN, Bounds, Move
from econzoo.envs.games.negotiation.rules import OFFER, SELLER, View, price_range


def infer_view(view: View, seat: int) -> View:
    """Infer the other seat's view; UNKNOWN where it cannot be inferred.

    Whether an own price of this round waits already is not in a view, so the price is UNKNOWN; see `infer_reply_view`.
    """
    if seat == view.seat:
        return view
    return view._replace(
        seat=seat,
        own_value=view.other_value,
        other_value=UNKNOWN if view.other_value == UNKNOWN else view.own_value,
        proposing=1 - view.proposing,
        offered=UNKNOWN,
        own_price=view.other_price,
        other_price=view.own_price,
        own_payoff=_payoff_of_other(view),
    )


def _payoff_of_other(view: View) -> float:
    if not view.over:
        return UNKNOWN
    if not view.agreed:
        return 0.0
    if view.other_value == UNKNOWN:
        return UNKNOWN
    return view.other_value - view.traded_at if view.seat == SELLER else view.traded_at - view.other_value


def infer_reply_view(view: View, move: Move, seat: int) -> View | None:
    """Infer the other's view when it answers an own offer; None after an own answer."""
    if move.kind != OFFER or seat == view.seat:
        return None
    return infer_view(view, seat)._replace(offered=move.values[0], other_price=move.values[0])


def options(view: View) -> tuple[tuple[bool, bool, bool, bool], tuple[Bounds]]:
    """Legal kinds of move and bounds of the seat to act, from its view."""
    answering = not view.over and view.offered != UNKNOWN
    proposing = not view.over and bool(view.proposing)
    prices = price_range(view.money, view.bound, view.other_value != UNKNOWN, view.own_value, view.other_value)
    return (proposing, answering, answering, answering and bool(view.outside_option)), (prices,)
