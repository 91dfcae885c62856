"""Where things are kept that are made once on a machine."""

from __future__ import annotations

import sys
from pathlib import Path

from econzoo.envs.core import cache_folder


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("ECONZOO_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("ECONZOO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == tmp_path / "xdg" / "econzoo"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "econzoo"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "econzoo" / "cache"
