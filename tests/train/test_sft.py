"""Supervised fine-tuning: a real step on SmolLM2, and everything around it on a tiny Llama."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys

import pytest
from lm_world import SMALL, changed, learning_curve, settings, weights, write_records

import econzoo
from econzoo.baselines import DivergedError
from econzoo.envs.core.contract import Objective
from econzoo.train.lm import sft_trainer
from econzoo.train.lm.episode_specs import make_validation_specs
from econzoo.train.lm.measures import Validation, ValidationResult
from econzoo.train.lm.model import load_for_training
from econzoo.train.lm.sft import TEACHER_PLAYS, SFTRecipe, dry_run, prepare_data, select_seats, train_sft
from econzoo.train.lm.training_run import latest_checkpoint
from econzoo.train.lm.transcripts import load_records
from exhaustive import long_unless
from refusals import refuses, says

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    return write_records(tmp_path_factory.mktemp("sft") / "r.jsonl", [("random", "fair"), ("fair", "random")], 4)


def played(folder, seed=0, **params):
    record = econzoo.play("bargaining", [f"hf:{folder}", "random"], seed=seed, **{**SMALL, **params})
    assert record.status == "finished"
    assert record.errors == [0, 0]
    return record


@pytest.mark.parametrize("rank", long_unless(lambda rank: rank == 0, [0, 4]))
@pytest.mark.slow
def test_weights_change_and_the_checkpoint_plays(records, tiny, tmp_path, rank):
    before = weights(tiny)
    short = {"keep": 0.5, "steps": 2, "batch_size": 2, "micro_batch": 1, "lr": 1e-3}
    args = SFTRecipe([records], model=f"hf:{tiny}", out=str(tmp_path), lora=rank, **short)
    assert train_sft(args) == tmp_path
    assert changed(before, weights(tmp_path))
    assert not changed(before, weights(tiny))
    assert (tmp_path / "adapter_config.json").exists() == bool(rank)
    played(tmp_path)
    header, *rows = learning_curve(tmp_path)
    assert header[:2] == ["steps", "loss"]
    assert [row[0] for row in rows] == ["1", "2"]
    written = settings(tmp_path)
    assert written["method"] == "sft"
    assert written["options"]["keep"] == 0.5
    assert 8 <= written["matches"] <= 10
    assert not (tmp_path / "trainer").exists()


@pytest.mark.long
def test_the_same_seed_gives_the_same_weights(records, tiny, tmp_path):
    made = []
    for name in ("one", "two"):
        train_sft(
            SFTRecipe([records], model=f"hf:{tiny}", out=str(tmp_path / name), steps=2, batch_size=2, lr=1e-3, seed=3)
        )
        made.append(weights(tmp_path / name))
    assert not changed(*made)


@pytest.mark.long
def test_an_adapter_on_an_adapter_is_saved_whole(records, tiny, tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    train_sft(
        SFTRecipe([records], model=f"hf:{tiny}", out=str(first), steps=2, batch_size=2, lora=4, lr=1e-2, warmup=0)
    )
    train_sft(SFTRecipe([records], model=f"hf:{first}", out=str(second), steps=2, batch_size=2, lora=4, lr=1e-6))
    assert not (second / "adapter_config.json").exists()
    near, far = weights(first), weights(second)
    assert all(near[name].allclose(far[name], atol=1e-3) for name in near)
    assert changed(weights(tiny), far)
    played(second)


@pytest.mark.slow
def test_after_an_adapter_all_weights_can_be_trained(records, tiny, tmp_path):
    """As the README does: an adapter first, then everything. Merging leaves the base frozen if nothing is done."""
    first, second = tmp_path / "first", tmp_path / "second"
    train_sft(
        SFTRecipe([records], model=f"hf:{tiny}", out=str(first), steps=1, batch_size=2, lora=4, lr=1e-2, warmup=0)
    )
    train_sft(SFTRecipe([records], model=f"hf:{first}", out=str(second), steps=1, batch_size=2, lr=1e-2, warmup=0))
    assert changed(weights(first), weights(second))


def test_it_learns_what_it_is_shown(tmp_path, tiny):
    """On one match again and again, the loss falls and the model plays that match by heart, unconstrained."""
    records = write_records(tmp_path / "r.jsonl", [("fair", "fair")], 1)
    args = SFTRecipe([records], model=f"hf:{tiny}", out=str(tmp_path / "m"), keep=1.0, steps=30, batch_size=2, lr=2e-2)
    train_sft(args)
    losses = [float(row[1]) for row in learning_curve(tmp_path / "m")[1:]]
    assert losses[-1] < 0.1 < losses[0]
    record = econzoo.play("bargaining", [f"hf:{tmp_path / 'm'}?temperature=0&constrained=no", "fair"], **SMALL)
    assert record.errors == [0, 0]
    assert record.payoffs == [50.0, 50.0]


def test_wrong_arguments(records, tiny, tmp_path):
    for wrong, *named in (
        ({"records": ["/nowhere/r.jsonl"]}, "/nowhere/r.jsonl"),
        ({"objective": "wealth"}, "objective='wealth'"),
        ({"keep": -0.1}, "keep=-0.1"),
        ({"players": ["nobody"]}, "players"),
        ({"seats": [7]}, "players"),
        ({"model": "hf:/nowhere"}, "hf:/nowhere"),
        ({"model": "hf:"}, "model='hf:'"),
        ({"steps": 0}, "steps=0"),
        ({"batch_size": 6, "micro_batch": 4}, "micro_batch=4"),
        ({"lora": -1}, "lora=-1"),
        ({"lr": -1.0}, "lr=-1.0"),
        ({"mode": "speech"}, "mode='speech'"),
        ({"layers": -1}, "layers=-1"),
        ({"dtype": "int8"}, "dtype='int8'"),
        ({"schedule": "cosine"}, "schedule='cosine'"),
        ({"track": ["paper"]}, "track=['paper']"),
        ({"records": []}, "teacher"),
        ({"behaviour": ["fair"]}, "behaviour", "teacher"),
        ({"teacher": ["fair"], "mode": "tools"}, "mode='tools'", "chat"),
        ({"top_fraction": 0.0}, "top_fraction=0.0"),
        ({"top_fraction": 1.1}, "top_fraction=1.1", 0, 1),
        ({"rounding": 0.1}, "rounding=0.1", "teacher"),
        ({"teacher": ["fair"], "rounding": 0.6}, "rounding=0.6", 0, 0.5),
        ({"records": [], "teacher": ["fair"], "opponents": ["greedy(0.9)"]}, "greedy(0.9)", "validation"),
        ({"records": [], "teacher": ["nobody"]}, "nobody"),
    ):
        args = {"records": [records], "model": f"hf:{tiny}", "out": str(tmp_path / "out"), "steps": 1, **wrong}
        with refuses((ValueError, FileNotFoundError), *named):
            train_sft(SFTRecipe(**args))
        assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def lessons(taught):
    """Arguments of a short training on the play of two teachers."""
    return {
        "teacher": ["fair", "acceptor(0.3)"],
        "matches": 8,
        "settings": ["two-rounds"],
        "param": ["money=100", "messages=false"],
        "model": f"hf:{taught}",
        "steps": 4,
        "batch_size": 2,
        "lr": 1e-3,
        "schedule": "linear",
        "dtype": "float32",
    }


@pytest.fixture(scope="module")
def whole(lessons, tmp_path_factory):
    """That training in one go, of which nothing else was asked."""
    return train_sft(SFTRecipe(**lessons, out=str(tmp_path_factory.mktemp("sft") / "whole")))


@pytest.fixture(scope="module")
def measured(lessons, tmp_path_factory):
    """The same, measured and kept while it trained."""
    out = tmp_path_factory.mktemp("sft") / "measured"
    return train_sft(
        SFTRecipe(**lessons, out=str(out), eval=2, eval_every=3, checkpoint_every=2, track=["tensorboard"])
    )


class TestFromTeachers:
    @pytest.mark.slow
    def test_the_files_of_a_run(self, measured):
        card = (measured / "README.md").read_text()
        assert "| this model |" in card
        assert "| start model |" in card
        assert "| `fair` |" in card
        assert len((measured / "teacher_plays.jsonl").read_text().splitlines()) == 8
        assert list((measured / "tensorboard").iterdir())
        assert settings(measured)["training_exposure"]["seats"] == [0, 1]

    @pytest.mark.slow
    def test_a_teacher_advises_explorers_and_in_matches_that_are_on_record(self, lessons, tmp_path):
        """Greedy asks for 90 of 100; learned is the half that Fair would have asked for."""
        given = {**lessons, "teacher": ["fair"], "behaviour": ["greedy(0.9)"], "matches": 4, "plays": 2, "steps": 1}
        for name, more in (("a", {}), ("b", {"records": [str(tmp_path / "a" / TEACHER_PLAYS)], "behaviour": []})):
            train_sft(SFTRecipe(out=str(tmp_path / name), **{**given, **more}))
            assert settings(tmp_path / name)["options"]["keep"] == 1.0
        assert all("greedy(0.9)" in record.players for record in load_records([tmp_path / "a" / TEACHER_PLAYS]))
        args = SFTRecipe(**given)
        assert any(
            one.targets for one in prepare_data(load_for_training(args.model), select_seats(args), args).sequences
        )

    def test_only_the_top_layers_change(self, lessons, taught, tmp_path):
        train_sft(SFTRecipe(**{**lessons, "steps": 1, "warmup": 0}, out=str(tmp_path), layers=1))
        before, after = weights(taught), weights(tmp_path)
        moved = {name for name in before if not before[name].equal(after[name])}
        assert moved
        assert all("layers.1." in name or name.endswith("model.norm.weight") for name in moved)

    def test_a_dry_run_tells_and_writes_nothing(self, lessons, tmp_path):
        table = dry_run(SFTRecipe(**lessons, out=str(tmp_path / "none"), dry_run=True))
        rows = dict(table.rows)
        assert rows["matches"] == "8"
        says(rows["examples"], 4, 2)
        assert {"tokens", "memory", "time", "speed"} <= set(rows)
        assert not (tmp_path / "none").exists()

    @pytest.mark.slow
    def test_after_a_crash_it_goes_on_as_if_nothing_had_happened(self, lessons, whole, tmp_path, monkeypatch):
        crash_after(3, monkeypatch)
        with pytest.raises(RuntimeError, match="crash"):
            train_sft(SFTRecipe(**lessons, out=str(tmp_path), checkpoint_every=2))
        monkeypatch.undo()
        (tmp_path / "checkpoint-3").mkdir()  # one that was cut off
        train_sft(SFTRecipe(**lessons, out=str(tmp_path), checkpoint_every=2, resume=True))
        assert not changed(weights(whole), weights(tmp_path))
        assert [row[:2] for row in learning_curve(tmp_path)] == [row[:2] for row in learning_curve(whole)]

    @pytest.mark.long
    def test_after_kill_9_it_goes_on_as_if_nothing_had_happened(self, lessons, tmp_path):
        given = {**lessons, "lora": 2, "checkpoint_every": 2}
        train_sft(SFTRecipe(**given, out=str(tmp_path / "whole")))
        killed = subprocess.run(
            [sys.executable, "-c", KILLED, json.dumps({**given, "out": str(tmp_path / "broken")})], check=False
        )
        assert killed.returncode == -signal.SIGKILL
        assert latest_checkpoint(tmp_path / "broken").name == "checkpoint-2"
        train_sft(SFTRecipe(**given, out=str(tmp_path / "broken"), resume=True))
        assert not changed(weights(tmp_path / "whole"), weights(tmp_path / "broken"))
        curves = [[row[:-1] for row in learning_curve(tmp_path / name)] for name in ("whole", "broken")]
        assert curves[0] == curves[1]

    @pytest.mark.slow
    def test_a_new_training_does_not_go_on_from_an_older_one(self, lessons, measured, tmp_path):
        shutil.copytree(measured, tmp_path / "again")
        train_sft(SFTRecipe(**{**lessons, "steps": 1}, out=str(tmp_path / "again")))
        assert latest_checkpoint(measured).name == "checkpoint-4"
        assert latest_checkpoint(tmp_path / "again").name == "checkpoint-1"

    def test_it_is_measured_while_it_trains(self, measured):
        header, *rows = [line.split(",") for line in (measured / "validation_curve.csv").read_text().splitlines()]
        assert header == ["steps", "value", "low", "high", "legal"]
        assert [row[0] for row in rows] == ["0", "2", "3", "4"]
        assert all(0 <= float(row[1]) <= 1 for row in rows)
        card = (measured / "checkpoint-4" / "README.md").read_text()
        says(card, 4)
        assert f"| this model | {float(rows[-1][1]):.3f} |" in card
        played(measured / "checkpoint-4")

    def test_the_start_is_in_cards_after_a_break_too(self, tmp_path):
        """Paired by match: 0.1 in the first and unknown in the second before, 0.4 and 0.2 now."""
        drawn = make_validation_specs("bargaining", 2, [0], {})
        begun = Validation(drawn, Objective("self_gain"))
        begun.save_start(ValidationResult("this model", [0.1, math.nan], 0.5, 4), tmp_path)
        for one in (begun, Validation(drawn, Objective("self_gain"))):
            one.load_start(tmp_path)
            _, start, *_ = one.rows(ValidationResult("this model", [0.4, 0.2], 1.0, 3))
            assert start == ["start model", "0.100", "-", "50.0% of 4"]
        begun.load_start(None)
        assert [row[0] for row in begun.rows(ValidationResult("this model", [0.4, 0.2], 1.0, 3))][1] == "`spe`"

    def test_measuring_changes_nothing(self, whole, measured):
        assert not changed(weights(whole), weights(measured))

    def test_an_interrupt_leaves_a_checkpoint(self, lessons, tmp_path, monkeypatch):
        crash_after(1, monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
        with pytest.raises(KeyboardInterrupt):
            train_sft(SFTRecipe(**lessons, out=str(tmp_path)))
        assert latest_checkpoint(tmp_path).name == "checkpoint-2"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_gradients_that_are_not_finite_change_no_weight(self, lessons, tmp_path, monkeypatch):
        real, made, kept = sft_trainer.label_log_probabilities, iter(range(9)), tmp_path / "checkpoint-3"

        def broken(*args):
            learned = real(*args)
            return learned._replace(log_probabilities=learned.log_probabilities * (math.nan if next(made) == 2 else 1))

        monkeypatch.setattr(sft_trainer, "label_log_probabilities", broken)
        with refuses(DivergedError, "gradients", kept, "--lr", 3):
            train_sft(SFTRecipe(**lessons, out=str(tmp_path)))
        assert all(one.isfinite().all() for one in weights(kept).values())
        train_sft(SFTRecipe(**{**lessons, "model": f"hf:{kept}", "steps": 1}, out=str(tmp_path / "on")))
        model = load_for_training(f"hf:{kept}").model
        next(model.parameters()).data.fill_(math.nan)
        model.save_pretrained(kept)
        with refuses(DivergedError, "weights"):
            train_sft(SFTRecipe(**{**lessons, "model": f"hf:{kept}"}, out=str(tmp_path / "far")))

    def test_what_goes_on_is_the_same_training(self, lessons, measured):
        with refuses(ValueError, "lr=0.5", "--resume", 0.001):
            train_sft(SFTRecipe(**{**lessons, "lr": 0.5}, out=str(measured), resume=True))


KILLED = """
import json, os, signal, sys
from econzoo.train.lm import sft_trainer
from econzoo.train.lm.sft import SFTRecipe, train_sft

real, made = sft_trainer.label_log_probabilities, []

def deadly(*args):
    made.append(1)
    if len(made) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args)

sft_trainer.label_log_probabilities = deadly
train_sft(SFTRecipe(**json.loads(sys.argv[1])))
"""
"""A training that is killed in its fourth step."""


def crash_after(steps, monkeypatch, crash=None):
    """Lets something happen in the step after so many."""
    real, made = sft_trainer.label_log_probabilities, []

    def learned(*args):
        made.append(1)
        if len(made) == steps + 1:
            crash() if crash else raised()
        return real(*args)

    def raised():
        raise RuntimeError("crash")

    monkeypatch.setattr(sft_trainer, "label_log_probabilities", learned)


def test_an_empty_file_and_a_file_as_folder(records, tiny, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with refuses(ValueError, tmp_path / "empty.jsonl"):
        train_sft(SFTRecipe([str(tmp_path / "empty.jsonl")], model=f"hf:{tiny}", out=str(tmp_path / "out")))
    with refuses(ValueError, tmp_path / "empty.jsonl"):
        train_sft(SFTRecipe([records], model=f"hf:{tiny}", out=str(tmp_path / "empty.jsonl")))


def test_what_is_missing_is_said_before_any_library_is_loaded(monkeypatch, tmp_path):
    monkeypatch.setattr("econzoo.train.lm.training_run.require_training", lambda: pytest.fail("loads torch"))
    with pytest.raises(FileNotFoundError, match=r"no\.jsonl"):
        train_sft(SFTRecipe([str(tmp_path / "no.jsonl")]))


def test_the_command_line(records, tiny, tmp_path, capsys):
    from econzoo.__main__ import main

    line = ["train", "sft", records, "--model", f"hf:{tiny}", "--out", str(tmp_path), "--steps", "1"]
    with pytest.raises(SystemExit) as done:
        main([*line, "--batch-size", "1", "--seats", "0", "--players", "fair"])
    assert done.value.code == 0
    assert str(tmp_path) in capsys.readouterr().out
    assert (tmp_path / "model.safetensors").is_file()


@pytest.mark.long
@pytest.mark.smollm2
def test_real_steps_on_smollm2(tmp_path):
    records = write_records(tmp_path / "r.jsonl", [("fair", "fair")], 1, horizon=1)
    args = SFTRecipe(
        [records], out=str(tmp_path / "m"), keep=1.0, seats=[0], steps=2, batch_size=1, lora=4, lr=1e-3, warmup=0
    )
    train_sft(args)
    losses = [float(row[1]) for row in learning_curve(tmp_path / "m")[1:]]
    assert losses[1] < losses[0]
    record = econzoo.play(
        "bargaining", [f"hf:{tmp_path / 'm'}?max_new_tokens=16", "fair"], money=100, horizon=1, messages=False
    )
    assert record.status == "finished"
    assert record.errors == [0, 0]
