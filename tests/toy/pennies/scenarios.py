"""Named parameter settings of matching pennies."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "one-shot": {"rounds": 1}}
