"""The kind of schema that a game hands to a model, and a check of it by hand."""

from __future__ import annotations

import json
import math
from typing import Any


def offer(longest: int = 300, least: float = 0, most: float = 10_000) -> dict[str, Any]:
    properties = {
        "kind": {"const": "offer"},
        "gain": {"type": "number", "minimum": least, "maximum": most},
        "message": {"type": "string", "maxLength": longest},
    }
    return {
        "type": "object",
        "properties": properties,
        "required": ["kind", "gain", "message"],
        "additionalProperties": False,
    }


ACCEPT = {
    "type": "object",
    "properties": {"kind": {"const": "accept"}},
    "required": ["kind"],
    "additionalProperties": False,
}
MOVE = {"anyOf": [offer(), ACCEPT]}


def legal_move(text: str, longest: int = 300, least: float = 0, most: float = 10_000) -> dict[str, Any]:
    """Parse a reply and assert all that the schema demands."""
    move = json.loads(text, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(word)))
    text.encode("utf-8")  # no half characters
    if move == {"kind": "accept"}:
        return move
    assert list(move) == ["kind", "gain", "message"]
    assert move["kind"] == "offer"
    assert isinstance(move["gain"], (int, float))
    assert not isinstance(move["gain"], bool)
    assert math.isfinite(move["gain"])
    assert least <= move["gain"] <= most
    assert isinstance(move["message"], str)
    assert len(move["message"]) <= longest
    return move
