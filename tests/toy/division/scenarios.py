"""Named parameter settings of the division."""

from __future__ import annotations

from typing import Any

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "one kind": {"items": (4,), "worth": ((1,), (1,))},
}
