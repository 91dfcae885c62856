"""Cache folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return `ECONZOO_CACHE`, or `econzoo` in the platform's cache folder, without creating it."""
    if chosen := os.environ.get("ECONZOO_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "econzoo" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "econzoo"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "econzoo"
