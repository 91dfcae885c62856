"""Compiled loops that one process keeps do not change what another one plays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba")

PLAYS = """
import sys
import numpy as np
from econzoo.envs.core.vector.learner_batch import LearnerBatch

for opponent in sys.argv[1:]:
    market = {"horizon": 6, "delta": (0.9, 0.8)}
    games = LearnerBatch("bargaining", 1, seat=0, opponent=opponent.split("|"), params=[market], draw=False)
    games.reset(1)
    print(games.step(np.array([49]))[2][0])  # it is asked for 49 of 100
"""


def accepted(cache: Path, *opponents: str) -> list[str]:
    """Who accepts in the first round, in a new process."""
    environment = {**os.environ, "ECONZOO_CACHE": str(cache)}
    words = [sys.executable, "-c", PLAYS, *opponents]
    return subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout.split()


@pytest.mark.long
def test_loops_that_different_processes_kept_do_not_run_in_each_others_place(tmp_path: Path) -> None:
    """Two processes compile one loop each, so that Numba counts its parts alike; a third one has both."""
    pool, alone = "fair|boulware(0.3)", "boulware(0.3)"
    accepted(tmp_path, "random")  # from now on the loops of the rules are kept
    accepted(tmp_path, pool)
    assert accepted(tmp_path, alone) == ["False"]
    assert accepted(tmp_path, pool, alone)[1] == "False"
