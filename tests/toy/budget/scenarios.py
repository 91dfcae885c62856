"""Named parameter settings of the orders."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "poor": {"purse": 5.0}}
