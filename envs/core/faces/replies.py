"""Lossless encoding of replies in JSON records."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.validation import UNPRINTABLE

if TYPE_CHECKING:
    from econzoo.envs.core.contract.game import Game

FLOAT, OTHER = "$float", "$other"
"""Keys for values that JSON lacks: NaN and infinities, and other types."""

_PLAIN_TYPES = (str, bool, type(None))
_PRINTABLE = 10**640
"""Integers below this can be printed under any Python limit."""
MAX_SHOWN = 1000


def encode_reply(game: Game, reply: Any) -> Any:
    """Encode a reply for JSON.

    Numpy scalars become numbers, typed moves plain dictionaries, tuples lists and keys strings. NaN and infinities
    become ``{"$float": "nan"}``, anything else, including integers too long to print, its type and repr.
    """
    if isinstance(reply, tuple) and reply.__class__ in game.actions.models:
        reply = game.actions.to_plain(reply)
    if reply.__class__ is dict:
        for key, value in reply.items():
            if key.__class__ is not str or not _is_flat(value):
                return _encode_value(reply, 0)
        return dict(reply)
    return _encode_value(reply, 0)


def _is_flat(value: Any) -> bool:
    kind = value.__class__
    if kind is int:
        return -_PRINTABLE < value < _PRINTABLE
    return kind in _PLAIN_TYPES or (kind is float and math.isfinite(value))


def _encode_value(value: Any, depth: int) -> Any:
    if value.__class__ in _PLAIN_TYPES:
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else {FLOAT: repr(float(value))}
    if isinstance(value, dict) and depth < 20:
        return {
            str(key) if isinstance(key, str) else _safe_repr(key, str): _encode_value(item, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple) and depth < 20:
        return [_encode_value(item, depth + 1) for item in value]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int) and abs(value) < _PRINTABLE:
        return int(value)
    return value if value is None else {OTHER: [type(value).__name__, _safe_repr(value)]}


def _safe_repr(value: Any, show: Callable[[Any], str] = repr) -> str:
    try:
        return show(value)[:MAX_SHOWN]
    except Exception:
        return UNPRINTABLE if isinstance(value, int) else f"<{type(value).__name__}>"


def decode_reply(kept: Any) -> Any:
    """Decode a reply from `encode_reply`; it is equivalent for every face and error text."""
    if kept.__class__ in _PLAIN_TYPES or kept.__class__ is float or kept.__class__ is int:
        return kept
    if isinstance(kept, list):
        return [decode_reply(item) for item in kept]
    for item in kept.values():
        if item.__class__ is dict or item.__class__ is list:
            break
    else:
        if len(kept) != 1 or FLOAT not in kept:
            return kept
    if len(kept) == 1:
        if isinstance(kept.get(FLOAT), str):
            return _decode_float(kept[FLOAT])
        if isinstance(kept.get(OTHER), list) and len(kept[OTHER]) == 2:
            return _make_stand_in(*map(str, kept[OTHER]))
    return {key: decode_reply(item) for key, item in kept.items()}


def _decode_float(text: str) -> Any:
    return float(text) if text in ("nan", "inf", "-inf") else text


def _make_stand_in(name: str, shown: str) -> Any:
    """Create an object that no face accepts as a move and that has the original repr."""
    return type(name, (), {"__repr__": lambda self: shown})()
