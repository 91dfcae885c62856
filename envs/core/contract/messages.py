"""The game parameter ``messages``: free text, none, or symbols (`econzoo.envs.core.contract.symbols`)."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.parameters import Flag, Integer
from econzoo.envs.core.contract.symbols import ALPHABET

__all__ = ["Messages"]

_SYMBOL_COUNT = Integer(2, len(ALPHABET))


class Messages(Flag):
    """Domain of ``messages``: True (free text), False (none) or the number of symbols."""

    value_range = f"{Flag.value_range}, or the number of symbols, {_SYMBOL_COUNT.value_range}"

    def __call__(self, value: Any, /) -> bool | int:  # type: ignore[override]
        """Return the value as a bool or an int."""
        return super().__call__(value) if type(value).__name__ in ("bool", "bool_") else _SYMBOL_COUNT(value)
