"""Several seeds of a training: their folders, their mean, and what is left when they are stopped."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from small_training import SMALL, WORDS

from refusals import refuses, says

pytest.importorskip("numba")

from econzoo.__main__ import main
from econzoo.baselines import read_metadata
from econzoo.baselines.policy_files import policy_path
from econzoo.evaluate.analyses.learning import trainings
from econzoo.evaluate.stats import mean_of_draws, predict_draw
from econzoo.train.rl.curve import read_curve
from econzoo.train.rl.files import checkpoint_path, latest_policy
from econzoo.train.rl.recipe import PPORecipe
from econzoo.train.rl.seeds import seed_args, train_seeds
from later import Later

ppo = Later("econzoo.train.rl.ppo")
pytestmark = pytest.mark.models


def args(out, **changes):
    return PPORecipe("bargaining", out=out, progress=False, **{**SMALL, **changes})


def command(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[object, str, str]:
    """Exit code, output and errors of ``econzoo train ppo bargaining``."""
    with pytest.raises(SystemExit) as ended:
        main(["train", "ppo", "bargaining", *WORDS, *words])
    return ended.value.code, *capsys.readouterr()


@pytest.mark.slow
def test_seeds_one_after_the_other(tmp_path, capsys):
    seeds = ["--seed", "3", "--seeds", "2", "--jobs", "1", "--out", str(tmp_path)]
    code, out, err = command(*seeds, capsys=capsys)
    assert code == 0, err
    assert re.search(r"^seed-3: 0\D+512\b", err, re.MULTILINE)
    assert [read_metadata(tmp_path / f"seed-{seed}")["options"]["seed"] for seed in (3, 4)] == [3, 4]
    last = [read_curve(tmp_path / f"seed-{seed}" / "learning_curve.csv")[-1].reward for seed in (3, 4)]
    with (tmp_path / "seeds.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    found, new = mean_of_draws(last), predict_draw(last)
    assert (float(row["low_new_seed"]), float(row["high_new_seed"])) == (new.low, new.high)
    assert (row["opponent"], float(row["reward"]), row["seeds"]) == ("linear", found.mean, "2")
    assert f"econzoo evaluate ppo:{tmp_path}" in out
    (one,) = trainings([f"ppo:{tmp_path}"])
    assert list(one.seeds.values()) == [3, 4]
    with refuses(FileNotFoundError, "seed-3", "seed-4"):
        policy_path(tmp_path)
    code, _, err = command(*seeds, capsys=capsys)
    assert code == 1
    says(err, tmp_path, "--resume")


def test_seeds_that_have_ended_are_left_as_they_are(tmp_path):
    first = ppo.train_ppo(args(tmp_path / "seed-0"))
    before = first.read_bytes()
    paths = train_seeds(args(tmp_path, seeds=2, jobs=1, resume=True))
    assert paths == [first, tmp_path / "seed-1" / "policy.zip"]
    assert first.read_bytes() == before
    assert read_metadata(paths[1])["timesteps"] == 512


def test_folders_that_do_not_fit_are_refused(tmp_path):
    with refuses(FileNotFoundError, tmp_path):
        seed_args(args(tmp_path, seeds=2, resume=True))
    ppo.train_ppo(args(tmp_path))
    with refuses(ValueError, tmp_path):
        seed_args(args(tmp_path, seeds=2))
    with refuses(ValueError, "seeds=0", 1):
        args(tmp_path, seeds=0)


def test_a_dry_run_says_what_would_be_trained_and_writes_nothing(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = command("--dry-run", "--seeds", "2", capsys=capsys)
    assert code == 0, err
    rows = [re.split(r"\s{2,}", line.strip(), maxsplit=1) for line in out.splitlines()]
    lines = dict(row for row in reversed(rows) if len(row) == 2)
    assert lines["game"] == "bargaining"
    assert lines["features"] == "14"
    assert lines["actions"] == "103"
    says(lines["updates"], 2, 32, 8)
    says(lines["gradient steps"], 8, 64)
    assert lines["network"].endswith(f"{parameters():,} parameters")
    assert "moves/s" in lines["speed"]
    assert list(tmp_path.iterdir()) == []


def parameters() -> int:
    """Two networks of 8 units on 14 features of 4 decisions and 2 waves of 4 frequencies of each; the outputs."""
    inputs, outputs = 14 * 4 + 14 * 2 * 4, (6 + 26 + 101) + 2
    return 2 * (inputs * 8 + 8) + (8 * outputs + outputs) + (8 + 1)


def started(out: Path, *words: str, folders: Sequence[str] = (".",)) -> subprocess.Popen[bytes]:
    """A training of many moves in a process of its own, once there is a checkpoint in each of the folders."""
    line = [sys.executable, "-m", "econzoo", "train", "ppo", "bargaining", *WORDS, *words, "--out", str(out)]
    process = subprocess.Popen([*line, "--timesteps", "100000000"], stderr=subprocess.DEVNULL)
    until = time.monotonic() + 240
    while time.monotonic() < until and process.poll() is None:
        if all(list((out / folder).glob("checkpoints/*.zip")) for folder in folders):
            return process
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"no checkpoint; exit code {process.poll()}")


@pytest.mark.long
def test_a_training_that_was_killed_goes_on_from_its_last_checkpoint(tmp_path):
    """Moves, steps of the optimiser and the learning rate that fades go on where they were."""
    import torch

    from econzoo.train.rl.ppo import Training

    process = started(tmp_path)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "policy.zip").exists()
    start = latest_policy(tmp_path)
    made = read_metadata(start)["timesteps"]
    assert start == checkpoint_path(tmp_path, made)
    end = made + 512
    training = Training(args(tmp_path, timesteps=end, resume=True), start)
    assert training.moves == made
    (steps,) = {float(state["step"]) for state in training.optimizer.state_dict()["state"].values()}
    assert steps == made / 256 * 4, "an update has 256 moves, and gradient steps of 64 of them"
    assert training.update_options().learning_rate == pytest.approx(1e-3 * 512 / end)
    kept = {name: tensor.clone() for name, tensor in training.network.state_dict().items()}
    ppo.train_ppo(args(tmp_path, timesteps=end, resume=True))
    assert read_metadata(tmp_path)["timesteps"] == end
    again = Training(args(tmp_path, timesteps=end, resume=True), tmp_path / "policy.zip").network.state_dict()
    moved = max(float((again[name] - kept[name]).abs().max()) for name in kept)
    assert 0 < moved <= 8 * 1.1e-3, "eight steps of Adam, each of about the learning rate at most"
    assert all(torch.isfinite(tensor).all() for tensor in again.values())


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_seeds_that_were_stopped_go_on(number, tmp_path):
    """Interrupted, or killed: then their processes end too, as they do not outlive who started them."""
    process = started(tmp_path, "--seeds", "2", "--jobs", "2", folders=["seed-0", "seed-1"])
    process.send_signal(number)
    process.wait(timeout=120)
    made, until = [], time.monotonic() + 60
    while made != (made := [read_metadata(latest_policy(tmp_path / f"seed-{n}"))["timesteps"] for n in (0, 1)]):
        assert time.monotonic() < until, "they go on training"
        time.sleep(2.0)
    end = min(made) + 256  # who is further ends at once
    policies = train_seeds(args(tmp_path, seeds=2, jobs=2, resume=True, timesteps=end))
    assert [read_metadata(policy)["timesteps"] for policy in policies] == [max(end, own) for own in made]
