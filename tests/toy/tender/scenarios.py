"""Named parameter settings of the tender."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "duel": {"players": 2, "rounds": 2}}
