"""Many people at once, for a few seconds; ``benchmarks/web_load.py`` measures more of them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="the load test needs the extra browser")

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "web_load.py"


def test_fifty_people_play_without_an_error(capsys):
    """How long a move took is reported and not required: other processes share the machine."""
    spec = importlib.util.spec_from_file_location("web_load", SCRIPT)
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    found = load.measured(load.Run(people=50, think=0.5, rounds=4, seconds=20))
    with capsys.disabled():
        print(f"\n{found}")
    assert found["errors"] == 0
    assert found["moves"] == 50 * 4
    assert found["megabytes"] < 150
