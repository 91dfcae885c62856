"""Moves that may be slips: a number that can be read in two ways, an amount that hardly anybody means; asked once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.amounts import dollars
from econzoo.envs.core.contract.game import UNKNOWN
from econzoo.people.server.site import texts
from econzoo.people.table.move_words import format_with_unit
from econzoo.people.table.person import parse_move

if TYPE_CHECKING:
    from econzoo.people.table.forms import Input, MoveForms
    from econzoo.people.table.person import OpenQuestion, Person

Action = Mapping[str, Any]
"""A move as records have it."""


def find_doubts(
    person: Person, asked: OpenQuestion, forms: MoveForms, given: Mapping[str, str], reply: str
) -> list[str]:
    """What is asked about a move that could be played, in sentences; nothing once the same was asked.

    Args:
        person: Who makes it.
        asked: The question.
        forms: Of the question.
        given: What was typed, by the key of its input.
        reply: The answer in it.
    """
    inputs = forms.inputs_of(given["kind"])
    found = [told for one in inputs if one.sort == "number" for told in _two_readings(one, given[one.key].strip())]
    extreme = SLIP_CHECKS.get(person.info.game.name)
    action = parse_move(person.info.game, person.wording, reply, asked.legal)[0]
    if extreme and action and asked.seen is not None:
        found += extreme(asked.seen.view, action)
    return [] if " ".join(found) == given.get("sure") else found


def _two_readings(one: Input, typed: str) -> Iterator[str]:
    """Whether a sign before three digits can be one between thousands: ``4.000``."""
    found = re.fullmatch(rf"([1-9]\d{{0,2}}){re.escape(texts().signs[1])}(\d{{3}})", typed)
    if found and int(found[1] + found[2]) <= one.field["maximum"]:
        low, high = float(f"{found[1]}.{found[2]}"), float(found[1] + found[2])
        told = [texts().localize_numbers(f"{value:,.10g}") for value in (low, high)]
        yield texts().say("doubt.two_readings", typed=typed, low=told[0], high=told[1])


def _check_division(view: Any, action: Action) -> list[str]:
    """Bargaining: everything for one."""
    gain = action.get("gain")
    return [] if gain is None or 0 < gain < view.money else [texts().say("doubt.all" if gain else "doubt.nothing")]


def _check_price(view: Any, action: Action) -> list[str]:
    """Negotiation: a price at which who names it loses."""
    return _find_loss(action.get("price"), view.own_value, sells=view.seat == 0)


def _check_offer(view: Any, action: Action) -> list[str]:
    """Double auction: the same; buyers sit before sellers."""
    return _find_loss(action.get("price"), view.value, sells=view.seat >= view.buyers)


def _find_loss(price: float | None, value: float, sells: bool) -> list[str]:
    if price is None or value == UNKNOWN:
        return []
    loss = value - price if sells else price - value
    if loss > 0:
        return [texts().say("doubt.loss", loss=texts().localize_numbers(format_with_unit("$", dollars(loss))))]
    return [] if price else [texts().say("doubt.zero")]


def _check_bid(view: Any, action: Action) -> list[str]:
    """Auctions of water: a bid that cannot be paid is void."""
    return [texts().say("doubt.void")] if action["bid"] > view.balances[view.seat] else []


SLIP_CHECKS: dict[str, Callable[[Any, Action], list[str]]] = {
    "bargaining": _check_division,
    "negotiation": _check_price,
    "double_auction": _check_offer,
    "survival_auction": _check_bid,
    "water_allocation": _check_bid,
}
"""Games in which an amount can be a slip, to what is asked then."""
