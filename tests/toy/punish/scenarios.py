"""Named parameter settings of contributing and punishing."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {"default": {}, "harsh": {"harm": 20.0}}
