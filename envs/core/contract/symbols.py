"""Messages of a small alphabet (the parameter ``messages=k``): what learners that read numbers say to each other.

Whoever may speak sends one of k symbols with a move that can carry words, and sees the last symbol of every other seat,
one number for each symbol that it could be. The symbols mean nothing by themselves; what they come to mean is learned
(Lewis 1969, Convention; Foerster et al. 2016, arXiv:1605.06676). A symbol is a word of one letter, so that records,
readers and the option ``channel`` treat it as they treat any words.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.validation import Invalid, short_repr

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema
    from econzoo.envs.core.contract.events import Event

ALPHABET = string.ascii_uppercase
"""All symbols in order; of k there are the first k."""

NO_SYMBOL = -1
"""Stands for the symbol of who has not sent one."""


def symbol_count(public: Mapping[str, Any]) -> int:
    """How many symbols a match has, by its public parameters; 0 where words are free or there are none."""
    messages = public.get("messages", True)
    return 0 if isinstance(messages, bool) else int(messages)


def alphabet(messages: int) -> str:
    """The symbols of a channel (`econzoo.envs.core.contract.moves.Legal.messages`); none if its words are free."""
    return ALPHABET[:messages] if messages > 1 else ""


def symbol_index(message: str, count: int) -> int:
    """The place of a message among so many symbols, or `NO_SYMBOL`."""
    return ALPHABET.find(message, 0, count) if len(message) == 1 else NO_SYMBOL


def check_symbol(key: str, value: str, messages: int) -> Invalid | None:
    """Why a text cannot be sent where symbols are all that is said, or None; an empty one is no message."""
    allowed = alphabet(messages)
    if not allowed or not value or symbol_index(value, messages) != NO_SYMBOL:
        return None
    return Invalid("unknown_symbol", f'"{key}" must be one of {", ".join(allowed)}; got {short_repr(value)}')


def last_symbol_features(seat: int, seats: int, events: Iterable[Event], actions: ActionSchema) -> list[float]:
    """The last symbol of every other seat, as numbers.

    Args:
        seat: Who hears.
        seats: Number of seats.
        events: What it has seen, oldest first.
        actions: The kinds of move, with their number of symbols.

    Returns:
        For each other seat in order, a number for each symbol: 1 for the one that it sent last, else 0.
    """
    last, count = [NO_SYMBOL] * seats, actions.symbols
    for event in events:
        words = actions.kind_and_message(event.action)[1] if event.action.__class__ in actions.models else ""
        if (said := symbol_index(words, count)) != NO_SYMBOL:
            last[event.seat] = said
    return [float(last[other] == one) for other in range(seats) if other != seat for one in range(count)]


def symbol_feature_names(seats: int, count: int) -> tuple[str, ...]:
    """A few words for each number of `last_symbol_features`."""
    return tuple(
        f"last symbol of other seat {other + 1}: 1 if {one}, else 0"
        for other in range(seats - 1)
        for one in ALPHABET[:count]
    )
