"""A seat's inference of the other's view, from its own view only (no leakage)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract import UNKNOWN, Event, Move
from econzoo.envs.games.persuasion.rules import BUYER, SELLER, SILENT, View


def infer_view(view: View, seat: int) -> View:
    """Infer the other seat's view; UNKNOWN where it cannot be inferred."""
    if seat == view.seat:
        return view
    return _buyer_view(view) if seat == BUYER else _seller_view(view)


def _buyer_view(view: View) -> View:
    """Infer the buyer's view: everything but its values, if the seller does not know them."""
    after = view._replace(
        seat=BUYER,
        prior=view.prior if view.buyer_knows_prior else UNKNOWN,
        quality=UNKNOWN,
        own_payoff=_buyer_payoff(view),
    )
    return _myopic_view(after) if view.myopic else after


def _myopic_view(view: View) -> View:
    """Mask what a myopic buyer does not know."""
    return view._replace(
        round=1,
        rounds=UNKNOWN,
        sold=UNKNOWN,
        sold_low=UNKNOWN,
        declined_high=UNKNOWN,
        declined_low=UNKNOWN,
        recommended_high=UNKNOWN,
        recommended_low=UNKNOWN,
        last_quality=UNKNOWN,
        own_payoff=UNKNOWN,
    )


def _buyer_payoff(view: View) -> float:
    if not view.over or view.high_value == UNKNOWN:
        return UNKNOWN
    sold_high = view.sold - view.sold_low
    return view.price * (sold_high * (view.high_value - 1.0) + view.sold_low * (view.low_value - 1.0))


def _seller_view(view: View) -> View:
    """Infer the seller's view: everything but the quality of this round's product."""
    knows = bool(view.seller_knows_value)
    # A myopic buyer counts its own round only, so it cannot tell the seller's.
    round: Any = UNKNOWN if view.myopic else view.round
    return view._replace(
        seat=SELLER,
        round=round,
        high_value=view.high_value if knows else UNKNOWN,
        low_value=view.low_value if knows else UNKNOWN,
        quality=UNKNOWN,
        own_payoff=view.price * view.sold if view.over and view.sold != UNKNOWN else UNKNOWN,
    )


def infer_reply_view(view: View, move: Move, seat: int) -> View | None:
    """Infer the buyer's view after the seller's move; None after a decision, as nature moves next."""
    if view.seat != SELLER or seat != BUYER:
        return None
    return infer_view(view, seat)._replace(said=move.kind)


def options(view: View) -> tuple[tuple[bool, bool, bool, bool, bool], tuple[()]]:
    """Legal kinds of move and bounds of the seat to act, from its view."""
    selling = not view.over and view.seat == SELLER and view.said == SILENT
    buying = not view.over and view.seat == BUYER and view.said != SILENT
    binary = bool(view.binary)
    return (selling and binary, selling and binary, selling and not binary, buying, buying), ()


def speaks(view: View, seat: int) -> bool:
    """Whether a seat can send messages, inferred from a view; it does not show this of a buyer."""
    return seat == SELLER and bool(view.words)


def visible_events(view: View, events: Sequence[Event]) -> tuple[Event, ...]:
    """Events visible to the seat of an inferred view: a myopic buyer sees its own round only."""
    if not (view.myopic and view.seat == BUYER) or not events:
        return tuple(events)
    return tuple([event._replace(round=1) for event in events if event.round == events[-1].round])
