"""Moves that may be mistakes, such as ambiguous numbers or certain losses; the person confirms them once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from econzoo.envs.core import dollars
from econzoo.envs.core.contract import UNKNOWN
from econzoo.people.server import texts
from econzoo.people.table.forms import Input, MoveForms
from econzoo.people.table.move_words import format_with_unit
from econzoo.people.table.person import OpenQuestion, Person, parse_move

Action = Mapping[str, Any]
"""A move in record form."""


def find_doubts(
    person: Person, asked: OpenQuestion, forms: MoveForms, given: Mapping[str, str], reply: str
) -> list[str]:
    """Doubts about a valid move, in sentences; empty once the same ones were confirmed."""
    inputs = forms.inputs_of(given["kind"])
    doubts = [doubt for one in inputs if one.sort == "number" for doubt in _two_readings(one, given[one.key].strip())]
    check = SLIP_CHECKS.get(person.info.game.name)
    action = parse_move(person.info.game, person.wording, reply, asked.legal)[0]
    if check and action and asked.seen is not None:
        doubts += check(asked.seen.view, action)
    return [] if " ".join(doubts) == given.get("sure") else doubts


def _two_readings(one: Input, typed: str) -> Iterator[str]:
    """Doubt about a decimal sign with three digits, such as ``4.000``, which may separate thousands."""
    match = re.fullmatch(rf"([1-9]\d{{0,2}}){re.escape(texts().signs[1])}(\d{{3}})", typed)
    # No doubt if the larger number would not be allowed.
    if match and int(match[1] + match[2]) <= one.field["maximum"]:
        values = float(f"{match[1]}.{match[2]}"), float(match[1] + match[2])
        low, high = (texts().localize_numbers(f"{value:,.10g}") for value in values)
        yield texts().say("doubt.two_readings", typed=typed, low=low, high=high)


def _check_division(view: Any, action: Action) -> list[str]:
    """Bargaining: a division that leaves one side nothing."""
    gain = action.get("gain")
    return [] if gain is None or 0 < gain < view.money else [texts().say("doubt.all" if gain else "doubt.nothing")]


def _check_price(view: Any, action: Action) -> list[str]:
    """Negotiation: a price at a loss."""
    return _find_loss(action.get("price"), view.own_value, sells=view.seat == 0)


def _check_offer(view: Any, action: Action) -> list[str]:
    """Double auction: a price at a loss; buyers have the lower seat numbers."""
    return _find_loss(action.get("price"), view.value, sells=view.seat >= view.buyers)


def _find_loss(price: float | None, value: float, sells: bool) -> list[str]:
    if price is None or value == UNKNOWN:
        return []
    loss = value - price if sells else price - value
    if loss > 0:
        return [texts().say("doubt.loss", loss=texts().localize_numbers(format_with_unit("$", dollars(loss))))]
    return [] if price else [texts().say("doubt.zero")]


def _check_bid(view: Any, action: Action) -> list[str]:
    """Water auctions: a bid above the balance, which is void."""
    return [texts().say("doubt.void")] if action["bid"] > view.balances[view.seat] else []


SLIP_CHECKS: dict[str, Callable[[Any, Action], list[str]]] = {
    "bargaining": _check_division,
    "negotiation": _check_price,
    "double_auction": _check_offer,
    "survival_auction": _check_bid,
    "water_allocation": _check_bid,
}
"""Game to the check of its amounts."""
