"""Named parameter settings of last-one-standing."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "duel": {"players": 2}}
