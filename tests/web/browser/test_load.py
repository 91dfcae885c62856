"""Many people at once, for a few seconds; ``benchmarks/web_load.py`` measures more of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="the load test needs the extra browser")

pytestmark = pytest.mark.long

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "web_load.py"


def test_fifty_people_play_without_an_error(capsys):
    """How long a move took is reported and not required: other processes share the machine."""
    line = [sys.executable, str(SCRIPT), "--people", "50", "--rounds", "4", "--seconds", "60", "--json"]
    found = json.loads(subprocess.run(line, check=True, capture_output=True, text=True, timeout=180).stdout)
    with capsys.disabled():
        print(f"\n{found}")
    assert found["errors"] == 0
    assert found["moves"] == 50 * 4
    assert found["megabytes"] < 150
