"""Several processes of one training: on this machine's CPU, where gloo stands for NCCL."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lm_world import SHORT, changed, settings, weights

import econzoo.train.processes as module
from econzoo.train.lm.credit import normalise_advantages
from econzoo.train.lm.dpo import DPORecipe
from econzoo.train.lm.grpo import GRPORecipe, chat_arguments
from econzoo.train.lm.rollout import Policy
from econzoo.train.processes import Processes, current_process
from refusals import refuses

SMALL = {"groups": 2, "group_size": 4, "max_new_tokens": 24, "lr": 1e-3, "warmup": 0, "dtype": "float32"}


@pytest.fixture
def second(monkeypatch):
    """This is the second one of two processes."""
    for name, value in {"RANK": 1, "WORLD_SIZE": 2, "LOCAL_RANK": 1}.items():
        monkeypatch.setenv(name, str(value))


def test_a_process_knows_its_place(second, capsys):
    assert current_process() == Processes(1, 2, 1)
    module.print_once("once")
    assert capsys.readouterr().err == ""


def test_alone_without_a_launcher(monkeypatch, capsys):
    monkeypatch.setenv("RANK", "3")  # of something else
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    assert current_process() == Processes(0, 1, 0)
    module.print_once("once")
    assert capsys.readouterr().err == "once\n"


@pytest.mark.models
def test_each_has_its_share_and_its_random_numbers(second, tmp_path):
    recipe = GRPORecipe(out=tmp_path, steps=3, groups=4, group_size=2, micro_batch=4, max_resamples=1)
    loaded = type("Loaded", (), {"context": 1024, "tokenizer": None})()
    policy = recipe.policy(loaded)
    assert isinstance(policy, Policy)
    assert policy.seed == 2**32
    spares = chat_arguments(recipe, policy)["rollout"]._spares
    assert spares == recipe.episode_specs[13::2], "every second one of those behind the 3 steps"
    with refuses(ValueError, "micro_batch=8", "4"):
        GRPORecipe(out=tmp_path, groups=4, group_size=2, micro_batch=8)


def test_what_cannot_be_shared_is_refused(second, tmp_path):
    with refuses(ValueError, "groups=3", "2 processes"):
        GRPORecipe(out=tmp_path, groups=3)
    with refuses(ValueError, "processes=2", "train grpo"):
        DPORecipe(out=tmp_path)


def test_advantages_are_divided_by_what_all_processes_have(second, monkeypatch):
    import accelerate.utils

    monkeypatch.setattr(accelerate.utils, "gather_object", lambda own: [*own, [7.0, 2]])
    assert normalise_advantages([[3.0, 0.0]]) == [[1.5, 0.0]], "16 / 4 is the mean square"


def launch(folder, model, **options):
    """Two processes, as a user starts them."""
    here = Path(__file__).parent
    command = [sys.executable, "-m", "accelerate.commands.accelerate_cli", "launch", "--multi_gpu", "--num_processes=2"]
    command += ["--num_machines=1", "--mixed_precision=no", "--dynamo_backend=no", "--main_process_port=0"]
    done = subprocess.run(
        [*command, str(here / "launched.py"), str(folder), f"hf:{model}", json.dumps({**SMALL, **options})],
        env={**os.environ, "ACCELERATE_USE_CPU": "true", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def left(folder, number):
    import torch

    played = json.loads(folder.with_suffix(f".{number}.json").read_text())
    return played, torch.load(folder.with_suffix(f".{number}.pt"))


@pytest.mark.long
@pytest.mark.models
def test_two_processes_learn_one_model(tiny, tmp_path):
    """From different matches with the same weights; what is written is written once, and is that model."""
    out = tmp_path / "out"
    more = {"steps": 2, "constrained": True, "credit": "decision", "eval": 1, "beta": 0.01, "entropy": 0.01}
    said = launch(out, tiny, param=[*SHORT, "horizon=4"], checkpoint_every=1, **more)
    (one, first), (other, second) = left(out, 0), left(out, 1)
    assert [len(step) for step in one] == [len(step) for step in other] == [4, 4]
    tickets = [{ticket for ticket, _ in step} for step in (*one, *other)]
    assert [len(each) for each in tickets] == [1] * 4, "each process has the whole of a group"
    assert len(set.union(*tickets)) == 4
    assert not changed(first, second)
    assert changed(weights(tiny), weights(out))
    assert not changed(weights(out), first)
    for name in ("learning_curve.csv", "validation_curve.csv"):
        with (out / name).open(newline="") as file:
            assert [row["steps"] for row in csv.DictReader(file)] in (["1", "2"], ["0", "1", "2"])
    assert said.count("step 1/2") == said.count("step 2/2") == 1
    assert settings(out)["steps"] == 2
    (kept,) = out.glob("checkpoint-*")
    asked = [json.loads((kept / f"rollouts{end}.json").read_text()) for end in ("", "_1")]
    assert all(state["asked"] > 0 for state in asked)


@pytest.mark.long
@pytest.mark.models
def test_two_processes_take_the_step_of_one(tiny, tmp_path):
    """Groups that do not depend on random numbers: replies that cannot be used, and a KL term with an entropy bonus."""
    more = {"steps": 2, "max_new_tokens": 2, "entropy": 0.5, "param": SHORT, "checkpoint_every": 0, "max_resamples": 0}
    more |= {"temperature": 0.01, "trl": ["optim=sgd"], "lr": 0.5}
    launch(tmp_path / "two", tiny, **more)
    from econzoo.train.lm.grpo import train_grpo

    train_grpo(GRPORecipe(model=f"hf:{tiny}", out=tmp_path / "one", **{**SMALL, **more}))
    alone, both = weights(tmp_path / "one"), weights(tmp_path / "two")
    assert changed(weights(tiny), alone)
    assert all(alone[name].allclose(both[name], atol=1e-5) for name in alone)
