"""Sweeps and seeds on Ray: what is tried, what is refused, and that nothing is lost with a worker."""

from __future__ import annotations

import csv
import math
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from small_training import SMALL, WORDS

from refusals import refuses

pytest.importorskip("numba")
pytest.importorskip("yaml")

from econzoo.__main__ import main
from econzoo.baselines import read_metadata
from econzoo.evaluate.stats import mean_of_draws
from econzoo.train.rl.curve import Point, read_curve
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.sweep import Span, read_sweep

pytestmark = pytest.mark.models


def recipe(tmp_path: Path, text: str, **changes: object) -> PPORecipe:
    path = tmp_path / "s.yaml"
    path.write_text(text)
    return PPORecipe("bargaining", out=tmp_path / "o", sweep=str(path), progress=False, **{**SMALL, **changes})


def train(*words: str) -> int:
    """The exit code of ``econzoo train ppo bargaining``."""
    try:
        main(["train", "ppo", "bargaining", *WORDS, *words])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_a_file_says_what_is_searched(tmp_path):
    search = "search:\n  lr: {low: 1e-4, high: 1e-2, log: true}\n  net: [[8], [8, 8]]\n"
    found = read_sweep(recipe(tmp_path, f"{search}samples: 3\nseeds: 2\nmetric: linear\n"))
    assert found.search == {"lr": Span(1e-4, 1e-2, True), "net": [[8], [8, 8]]}
    assert (found.samples, found.seeds, found.metric) == (3, 2, "linear")
    assert read_sweep(recipe(tmp_path, "search: {lr: [0.001]}", seeds=4)).seeds == 4


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("lr: [1]", ["search"]),
        ("search: {lr: [0.1]}\nsample: 3", ["sample", "samples"]),
        ("search: {seed: [1, 2]}", ["seed", "lr"]),
        ("search: {eval_episodes: [1, 2]}", ["eval_episodes", "lr"]),
        ("search: {lr: [0.1, -1]}", ["lr", -1]),
        ("search: {lr: {low: 0.1, high: 2}}\nsamples: 2", ["lr", 2]),
        ("search: {lr: {low: 0.1, high: 0.2}}", ["lr", "samples"]),
        ("search: {entropy: {low: 0, high: 0.2, log: true}}\nsamples: 2", ["entropy", "low", "high"]),
        ("search: {lr: {low: 0.2, high: 0.1}}\nsamples: 2", ["lr", "low", "high"]),
        ("search: {lr: [0.1]}\nmetric: nobody", ["nobody", "all", "linear"]),
        ("search: {lr: [0.1]}\nseeds: 0", ["seeds", 0]),
    ],
)
def test_other_files_are_refused(tmp_path, text, named):
    with refuses(ValueError, *named):
        read_sweep(recipe(tmp_path, text))
    assert not (tmp_path / "o").exists()


def test_nothing_is_chosen_by_the_last_test(tmp_path):
    with refuses(ValueError, "eval_settings", "test"):
        read_sweep(recipe(tmp_path, "search: {lr: [0.1]}", eval_settings="test"))


@pytest.mark.slow
def test_a_sweep_is_ordinary_trainings_and_their_means(tmp_path, capsys):
    """All combinations, the best first; started again it trains nothing, and one more value is trained alone."""
    pytest.importorskip("ray.tune")
    path, out = tmp_path / "s.yaml", tmp_path / "o"
    path.write_text("search: {lr: [0.01, 0.001]}\nseeds: 2\n")
    words = ["--sweep", str(path), "--out", str(out)]
    assert train(*words) == 0
    told = capsys.readouterr().out
    with (out / "sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {float(row["lr"]) for row in rows} == {0.01, 0.001}
    for row in rows:
        folders = [out / row["trial"] / f"seed-{seed}" for seed in (0, 1)]
        made = [read_metadata(folder / "policy.zip") for folder in folders]
        assert [one["options"]["lr"] for one in made] == [float(row["lr"])] * 2
        assert [one["timesteps"] for one in made] == [512, 512]
        found = mean_of_draws([last(folder).reward for folder in folders])
        assert math.isclose(float(row["reward"]), found.mean)
        assert int(row["seeds"]) == 2
    assert float(rows[0]["reward"]) >= float(rows[1]["reward"])
    assert f"econzoo evaluate ppo:{out / rows[0]['trial']}" in told
    kept = {one: one.stat().st_mtime_ns for one in out.glob("trial-*/*/policy.zip")}
    path.write_text("search: {lr: [0.01, 0.001, 0.1]}\nseeds: 2\n")
    assert train(*words) == 0
    assert {one: one.stat().st_mtime_ns for one in kept} == kept
    assert len(list(out.glob("trial-*/*/policy.zip"))) == 6


def last(folder: Path) -> Point:
    return read_curve(folder / "learning_curve.csv")[-1]


@pytest.mark.slow
def test_a_seed_whose_worker_is_killed_goes_on_from_its_checkpoint(tmp_path, capsys):
    """A worker of either seed: both end with the moves that they would have made, and their curves go on."""
    pytest.importorskip("ray")
    out, killed = tmp_path / "o", []
    watch = threading.Thread(target=kill_who_has_a_checkpoint, args=(out / "seed-0", killed), daemon=True)
    watch.start()
    longer = ["--timesteps=16384", "--checkpoint-every=512", "--eval-every=1024", "--eval-episodes=32"]
    assert train(*longer, "--seeds=2", "--engine=ray", "--jobs=2", f"--out={out}") == 0
    watch.join(10)
    assert killed
    assert "died" in capsys.readouterr().err
    for seed in (0, 1):
        assert read_metadata(out / f"seed-{seed}" / "policy.zip")["timesteps"] == 16384
        steps = [one.timesteps for one in read_curve(out / f"seed-{seed}" / "learning_curve.csv")]
        assert steps == sorted(set(steps))


@pytest.mark.slow
def test_leagues_learn_there_what_they_learn_here(tmp_path):
    pytest.importorskip("ray")
    found = []
    for engine in ("local", "ray"):
        out = tmp_path / engine
        league = ["--opponents=league", "--league-rounds=2", "--memory=none", "--timesteps=2048", "--jobs=1"]
        assert train(*league, "--seeds=2", f"--engine={engine}", f"--out={out}") == 0
        found.append([curve_of(out / f"seed-{seed}") for seed in (0, 1)])
    assert found[0] == found[1]


def curve_of(folder: Path) -> list[tuple[int, float]]:
    return [(one.timesteps, one.reward) for one in read_curve(folder / "learning_curve.csv")]


def kill_who_has_a_checkpoint(folder: Path, killed: list[int]) -> None:
    """Kills a worker when there is a checkpoint."""
    until = time.monotonic() + 120
    while time.monotonic() < until and not list(folder.glob("checkpoints/*.zip")):
        time.sleep(0.01)
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if b"ray::ActorCalls" in (place / "cmdline").read_bytes() and int(place.name) in descendants(os.getpid()):
                os.kill(int(place.name), signal.SIGKILL)
                killed.append(int(place.name))
                return


def descendants(of: int) -> set[int]:
    """Processes below one."""
    parents = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
    found, grown = {of}, True
    while grown:
        more = {one for one, parent in parents.items() if parent in found} - found
        grown, found = bool(more), found | more
    return found
