"""Gymnasium's wrappers and registry: videos, processes, and a process that never imported EconZoo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo

import econzoo
from econzoo.testing.gymnasium_api import compare_with_single_games, count_steps, learner
from exhaustive import long_unless


@pytest.mark.parametrize("name", long_unless(lambda name: name == "guess_average", ["matrix", "guess_average"]))
@pytest.mark.slow
def test_text_from_processes_of_their_own(name: str) -> None:
    compare_with_single_games(econzoo.game(name), "async", face="text")


@pytest.mark.slow
def test_a_video_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Gymnasium's wrapper, with a stand-in for the library that writes the file."""
    written: list[Any] = []

    class Clip:
        def __init__(self, frames: list[np.ndarray], fps: float) -> None:
            self.frames = frames

        def write_videofile(self, path: str, **kwargs: Any) -> None:
            written.append((Path(path).name, self.frames))

    where = "moviepy.video.io.ImageSequenceClip"
    for name in ("moviepy", "moviepy.video", "moviepy.video.io", where):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(sys.modules[where], "ImageSequenceClip", Clip, raising=False)
    matrix = econzoo.game("matrix")
    env = RecordVideo(
        learner(matrix, render_mode="rgb_array"), str(tmp_path / "videos"), episode_trigger=lambda episode: True
    )
    steps = count_steps(matrix, env)
    env.close()
    [(name, frames)] = written
    assert name == "rl-video-episode-0.mp4"
    assert len(frames) == steps + 1


ELSEWHERE = """
import gymnasium, sys
assert not any(name.startswith("econzoo") for name in sys.modules)
env = gymnasium.make("econzoo:econzoo/Bargaining-v0", opponent="boulware(0.2)", seat=0)
observation, info = env.reset(seed=1)
assert observation["action_mask"].sum() == 101, observation
total, over, steps = 0.0, False, 0
while not over:
    # Ask for 90%, and accept nothing but 90%: a boulware opponent gives in at the end only.
    action = 90 if info["action_mask"][90] else 102
    observation, reward, terminated, truncated, info = env.step(action)
    total, over, steps = total + reward, terminated or truncated, steps + 1
assert steps > 2 and 0.0 <= total <= 1.0, (steps, total)
print("played", steps, total, "torch" in sys.modules)
"""


def test_made_by_id_alone_in_a_process_that_never_imported_us() -> None:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("played")
    assert done.stdout.split()[-1] == "False", "playing with numbers imports no torch"
