"""Importing EconZoo is light."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = (
    "torch",
    "transformers",
    "pandas",
    "polars",
    "matplotlib",
    "numba",
    "llvmlite",
    "stable_baselines3",
    "trl",
    "scipy",
    "statsmodels",
    "datasets",
    "openai",
    "axelrod",
    "rich",
    "typer",
    "PIL",
)

FRESH = """
import json, sys, time
start = time.process_time()
{code}
print(json.dumps([time.process_time() - start, sorted(sys.modules)]))
"""

PLAY = """
import econzoo
env = econzoo.make("bargaining", face=("numeric", "text"))
env.reset(seed=1)
env.step(50)
env.step('{"kind": "accept"}')
assert env.payoffs == (5000.0, 5000.0)
"""


def fresh(code: str) -> tuple[float, list[str]]:
    """CPU seconds of the code in a new process, and the modules it has imported in the end."""
    done = subprocess.run([sys.executable, "-c", FRESH.format(code=code)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    seconds, modules = json.loads(done.stdout.splitlines()[-1])
    return seconds, modules


def heavy(modules: list[str]) -> list[str]:
    return [name for name in HEAVY if name in modules]


COUNTING = """
total = 0
for number in range(5_000_000): total += number
"""
"""Takes half a second on a machine of 2026; a busy one is slow at both."""


@pytest.mark.slow
def test_import_takes_less_than_half_a_second_of_cpu_and_brings_no_game() -> None:
    runs = [fresh("import econzoo") for _ in range(2)]
    assert min(seconds for seconds, _ in runs) < max(fresh(COUNTING)[0] for _ in range(2))
    modules = runs[0][1]
    assert heavy(modules) == []
    assert "econzoo.envs.core.registry" in modules
    assert [name for name in modules if name.startswith(("econzoo.envs.games.", "econzoo.baselines"))] == []


def test_playing_with_numbers_and_text_needs_no_heavy_library() -> None:
    _, modules = fresh(PLAY)
    assert heavy(modules) == []
    assert [name for name in modules if name.startswith(("econzoo.baselines", "econzoo.train"))] == []


def test_importing_twice_registers_once() -> None:
    code = """
import warnings
warnings.simplefilter("error")
import importlib, econzoo
importlib.reload(econzoo)
assert econzoo.games().count("bargaining") == 1
import gymnasium
assert [id for id in gymnasium.registry if id.startswith("econzoo/")].count("econzoo/Bargaining-v0") == 1
"""
    fresh(code)
