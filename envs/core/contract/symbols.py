"""Messages from a small alphabet (the parameter ``messages=k``), for learners with numeric observations.

Each move with a message carries one of k symbols, and each seat observes the last symbol of every other seat, one-hot.
Symbols have no prior meaning; it emerges by learning (Lewis 1969, Convention; Foerster et al. 2016, arXiv:1605.06676).
A symbol is a message of one letter, so that records, parsers and the option ``channel`` need no special case.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from econzoo.envs.core.contract.validation import Invalid, short_repr

ALPHABET = string.ascii_uppercase
"""All symbols; ``messages=k`` uses the first k."""

NO_SYMBOL = -1
"""Symbol index of a seat that has not sent one."""


def symbol_count(public: Mapping[str, Any]) -> int:
    """Return the number of symbols of a match; 0 if messages are free text or off."""
    messages = public.get("messages", True)
    return 0 if isinstance(messages, bool) else int(messages)


def alphabet(messages: int) -> str:
    """Return the symbols of a message mode (`Legal.messages`); empty for free text."""
    return ALPHABET[:messages] if messages > 1 else ""  # True (free text) equals 1


def symbol_index(message: str, count: int) -> int:
    """Return the index of a message among the first `count` symbols, or `NO_SYMBOL`."""
    return ALPHABET.find(message, 0, count) if len(message) == 1 else NO_SYMBOL  # find("") is 0


def check_symbol(key: str, value: str, messages: int) -> Invalid | None:
    """Return why a text is not a valid symbol, or None; an empty text is no message."""
    allowed = alphabet(messages)
    if not allowed or not value or symbol_index(value, messages) != NO_SYMBOL:
        return None
    return Invalid("unknown_symbol", f'"{key}" must be one of {", ".join(allowed)}; got {short_repr(value)}')


def symbol_feature_names(seats: int, count: int) -> tuple[str, ...]:
    """Return descriptions of `econzoo.envs.core.faces.numeric_face.last_symbol_features`."""
    return tuple(
        f"last symbol of other seat {other + 1}: 1 if {one}, else 0"
        for other in range(seats - 1)
        for one in ALPHABET[:count]
    )
