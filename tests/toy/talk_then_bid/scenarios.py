"""Named parameter settings of talk and bids."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "rare": {"likely": 0.1}}
