"""A seat's inference of the other's view, from its own view only (no leakage)."""

from __future__ import annotations

from econzoo.envs.core.contract import UNKNOWN, Bounds, Move
from econzoo.envs.games.bargaining.rules import OFFER, View


def infer_view(view: View, seat: int) -> View:
    """Infer the other seat's view; UNKNOWN where it cannot be inferred.

    A view does not show whether the own offer of this round is pending, so the offer is UNKNOWN; see
    `infer_reply_view`.
    """
    if seat == view.seat:
        return view
    gain = _gain_of_other(view)
    return view._replace(
        seat=seat,
        own_delta=view.other_delta,
        other_delta=UNKNOWN if view.other_delta == UNKNOWN else view.own_delta,
        proposing=1 - view.proposing,
        offered=UNKNOWN,
        own_ask=view.other_ask,
        other_ask=view.own_ask,
        own_gain=gain,
        own_payoff=_payoff_of_other(view, gain),
    )


def _gain_of_other(view: View) -> float:
    """Dollars agreed for the other seat."""
    if not view.agreed:
        return UNKNOWN
    # With the arithmetic of the rules, so that the inferred view equals the true one to the last bit.
    return view.money - view.own_ask if view.proposing else view.other_ask


def _payoff_of_other(view: View, gain: float) -> float:
    if not view.over:
        return UNKNOWN
    if not view.agreed:
        return 0.0
    return UNKNOWN if view.other_delta == UNKNOWN else view.other_delta ** (view.round - 1.0) * gain


def infer_reply_view(view: View, move: Move, seat: int) -> View | None:
    """Infer the other's view when it answers an own offer; None after an own answer."""
    if move.kind != OFFER or seat == view.seat:
        return None
    after = infer_view(view, seat)
    return after._replace(offered=view.money - move.values[0], other_ask=move.values[0])


def options(view: View) -> tuple[tuple[bool, bool, bool], tuple[Bounds]]:
    """Legal kinds of move and bounds of the seat to act, from its view."""
    answering = not view.over and view.offered != UNKNOWN
    proposing = not view.over and bool(view.proposing)
    return (proposing, answering, answering), ((0.0, view.money),)
