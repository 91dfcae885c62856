"""What a seat can tell of the other's position: functions of its own view, so that they cannot tell it more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract.game import UNKNOWN, Event, Move
from econzoo.envs.games.persuasion.rules import BUYER, SELLER, SILENT, View


def infer_view(view: View, seat: int) -> View:
    """The other's view as far as this seat can tell; UNKNOWN where it cannot."""
    if seat == view.seat:
        return view
    return _buyer_view(view) if seat == BUYER else _seller_view(view)


def _buyer_view(view: View) -> View:
    """The buyer's view, as the seller can tell it: all but its values, where the seller does not know them."""
    after = view._replace(
        seat=BUYER,
        prior=view.prior if view.buyer_knows_prior else UNKNOWN,
        quality=UNKNOWN,
        own_payoff=_buyer_payoff(view),
    )
    return _myopic_view(after) if view.myopic else after


def _myopic_view(view: View) -> View:
    """What a myopic buyer knows of it."""
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
    """The seller's view, as the buyer can tell it: all but the quality of the product of this round."""
    knows = bool(view.seller_knows_value)
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
    """The buyer's view when the seller has spoken; None where nobody answers: after a decision nature moves."""
    if view.seat != SELLER or seat != BUYER:
        return None
    return infer_view(view, seat)._replace(said=move.kind)


def options(view: View) -> tuple[tuple[bool, bool, bool, bool, bool], tuple[()]]:
    """Kinds of move and bounds of the seat of a view whose turn it is."""
    selling = not view.over and view.seat == SELLER and view.said == SILENT
    buying = not view.over and view.seat == BUYER and view.said != SILENT
    binary = bool(view.binary)
    return (selling and binary, selling and binary, selling and not binary, buying, buying), ()


def speaks(view: View, seat: int) -> bool:
    """Whether a seat may use words, as far as can be told from a view: nothing says it of a buyer."""
    return seat == SELLER and bool(view.words)


def visible_events(view: View, events: Sequence[Event]) -> tuple[Event, ...]:
    """Of these events, those that the seat of an imagined view has seen: a myopic buyer knows its own round only."""
    if not (view.myopic and view.seat == BUYER) or not events:
        return tuple(events)
    return tuple([event._replace(round=1) for event in events if event.round == events[-1].round])
