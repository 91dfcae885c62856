"""Named parameter settings of call-the-coin."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "loaded": {"bias": 0.9}}
