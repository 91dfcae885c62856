"""Conversion of values to plain JSON types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PLAIN = frozenset((str, int, float, bool, type(None)))


def to_plain(value: Any) -> Any:
    """Convert a value to what JSON returns: tuples to lists, numpy scalars to numbers."""
    if value.__class__ in _PLAIN:
        return value
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    return value.item() if hasattr(value, "item") else value
