"""A game in a package of its own, built, installed in an environment of its own, and used as the games here are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from declared import ROOT

pytestmark = pytest.mark.repo

SOURCE = ROOT / "tests" / "outside_game"

EVERYWHERE = """
import gymnasium, pettingzoo, sys
import econzoo
assert "econzoo_trust" not in sys.modules
learner = gymnasium.make("econzoo/Trust-v1", opponent="trusting", seat=0)
observation, info = learner.reset(seed=1)
assert learner.observation_space.contains(observation)
env = pettingzoo.make("aec", "econzoo/trust-v1", face="structured", factor=6.0)
env.reset(seed=1)
env.step({"kind": "send", "amount": 2.0})
assert env.last()[0]["arrived"] == 12.0
parallel = pettingzoo.make("parallel", "econzoo/trust-v1")
assert set(parallel.reset(seed=1)[0]) == {"player_0", "player_1"}
"""
"""Both registries."""

COMMANDS = """
import sys
from econzoo.__main__ import main
for line in sys.argv[1:]:
    print("$", line)
    try:
        main(line.split())
    except SystemExit as end:
        assert not end.code, line
"""
"""Runs command lines one after the other."""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has the package's wheel, and the libraries of this one."""
    folder = tmp_path_factory.mktemp("outside")
    shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    venv.create(folder / "env", symlinks=os.name != "nt")
    scheme = {name: sysconfig.get_path(name, "venv", {"base": str(folder / "env")}) for name in ("purelib", "scripts")}
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(folder / "source")], folder)
    (wheel,) = folder.glob("econzoo_trust-*.whl")
    run([*pip, "install", "--no-deps", "--no-index", "--target", scheme["purelib"], str(wheel)], folder)
    others = [place for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
    lines = [f"import site; site.addsitedir({place!r})" for place in others]
    Path(scheme["purelib"], "others.pth").write_text("\n".join(lines), encoding="utf-8")
    return Path(scheme["scripts"], "python")


def run(command: list[str], cwd: Path) -> str:
    """What a command prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"COLUMNS": "200", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def outputs(python: Path, cwd: Path, *lines: str) -> dict[str, str]:
    """What command lines print, run in one process."""
    printed = run([str(python), "-c", COMMANDS, *lines], cwd)
    return dict(part.split("\n", 1) for part in printed.split("$ ")[1:])


def test_both_registries_have_it(python: Path, tmp_path: Path) -> None:
    run([str(python), "-c", EVERYWHERE], tmp_path)


def test_the_command_line_lists_it_plays_it_and_evaluates_on_it(python: Path, tmp_path: Path) -> None:
    games, play, market, tournament, evaluate, replay = outputs(
        python,
        tmp_path,
        "games --json",
        "play trust trusting(1.0,0.5) trusting --json",
        "play trust trusting(1.0,0.5) trusting(1.0,0.25) --json --param factor=6 --param rounds=1",
        "tournament trust trusting trusting(0.8,0.4) --settings risky --seeds 2 --jobs 2 --out matches --json",
        "evaluate trust trusting(0.8,0.4) --seeds 1 --json",
        "replay matches",
    ).values()
    (own,) = [game for game in json.loads(games) if game["game"] == "trust"]
    assert (own["gymnasium"], own["pettingzoo"]) == ("econzoo/Trust-v1", "econzoo/trust-v1")
    assert json.loads(play)["payoffs"] == [45.0, 45.0]
    assert json.loads(market)["payoffs"] == [15.0, 45.0]
    assert "trusting(0.8,0.4)" in tournament
    assert "trusting(0, 0)" in evaluate
    assert replay == "8 matches replayed: all match the record\n"


@pytest.mark.long
def test_it_reports_and_trains_against_its_own_pool(python: Path, tmp_path: Path) -> None:
    *_, match = outputs(
        python,
        tmp_path,
        "tournament trust trusting trusting(0.8,0.4) random --seeds 3 --out matches",
        "analyze matches summary --out page",
        "show trust",
        "train ppo trust --timesteps 256 --out policy",
        "play trust ppo:policy/policy.zip trusting --json",
    ).values()
    assert "trusting(0.8,0.4)" in (tmp_path / "page" / "summary.html").read_text(encoding="utf-8")
    with zipfile.ZipFile(tmp_path / "policy" / "policy.zip") as policy:
        trained = json.loads(policy.read("econzoo.json"))["options"]
    assert trained["opponents"] == ["trusting", "trusting(0.3, 0.3)", "random"]
    assert trained["eval_opponents"] == ["trusting(0.8, 0.4)"]
    assert json.loads(match)["status"] == "finished"


@pytest.mark.long
def test_its_own_tests_pass(python: Path, tmp_path: Path) -> None:
    shutil.copytree(SOURCE / "tests", tmp_path / "tests")
    run([str(python), "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "tests"], tmp_path)
