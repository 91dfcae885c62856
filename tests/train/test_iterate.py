"""Expert iteration: rounds of playing and learning, the best of which is kept."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from statistics import fmean

import pytest
from lm_world import SHORT, SMALL, changed, settings, weights

import econzoo
from econzoo.envs.core.record import read_record_file
from econzoo.train.lm import iterate, sft_trainer
from econzoo.train.lm.iterate import IterationRecipe
from econzoo.train.lm.measures import ValidationResult
from econzoo.train.lm.tokens import IGNORED
from refusals import refuses, says

pytestmark = [pytest.mark.models, pytest.mark.slow]


@pytest.fixture(scope="module")
def given(taught):
    """Arguments of two short rounds."""
    return {
        "model": f"hf:{taught}",
        "param": SHORT,
        "rounds": 2,
        "matches": 2,
        "plays": 4,
        "steps": 2,
        "batch_size": 2,
        "eval": 2,
        "lr": 1e-2,
        "checkpoint_every": 0,
        "constrained": True,
        "max_new_tokens": 24,
        "rollout_batch": 4,
        "dtype": "float32",
    }


def rounds(folder):
    return list(csv.DictReader((folder / "rounds.csv").open()))


def best_of(found):
    """The number of the first round with the best validation."""
    return max(range(len(found)), key=lambda number: (float(found[number]["validation"]), -number))


def gains(path, player):
    """What a player earned in the recorded matches, one after the other."""
    return [
        next(gain for gain, name in zip(one.metrics["gains"], one.players, strict=True) if name.startswith(player))
        for one in read_record_file(path)
    ]


def train(given, folder, **more):
    return iterate.train_iterate(IterationRecipe(**{**given, **more}, out=str(folder)))


@pytest.fixture(scope="module")
def whole(given, tmp_path_factory):
    """Two rounds in one go."""
    return train(given, tmp_path_factory.mktemp("iterate") / "whole", **TAUGHT)


TAUGHT = {"teacher": ["fair"], "teacher_matches": 2, "patience": 9}


class TestRounds:
    def test_the_files(self, whole):
        found = rounds(whole)
        assert [row["round"] for row in found] == ["0", "1", "2"]
        assert [row["matches"] for row in found] == ["0", "8", "8"]
        assert all(0 <= float(row["validation"]) <= 1 for row in found)
        for row in found[1:]:
            place = whole / f"round-{row['round']}"
            assert "| this model |" in (place / "README.md").read_text()
            own, taught = gains(place / "plays.jsonl", "learner"), gains(place / "teacher_plays.jsonl", "fair")
            assert (len(own), len(taught)) == (8, 2)
            assert float(row["kept_value"]) == pytest.approx(fmean([max(own[:4]), max(own[4:]), *taught]), abs=1e-5)
        written = settings(whole)
        assert written["method"] == "iterate"
        assert written["best_round"] == best_of(found)
        record = econzoo.play("bargaining", [f"hf:{whole}", "random"], **SMALL)
        assert record.status == "finished"

    def test_no_match_is_played_in_two_rounds(self, given):
        first, second = IterationRecipe(**given).episode_specs
        assert not {one.seed for one in first} & {one.seed for one in second}

    def test_the_best_of_each_match_is_learned_from(self, given, tmp_path, monkeypatch):
        taken = []
        monkeypatch.setattr(iterate.sft, "learn_from_seats", lambda args, chosen, valid: taken.append(chosen) or stop())
        with pytest.raises(StopError):
            train(given, tmp_path, keep=0.25)
        records = list(read_record_file(tmp_path / "round-1" / "plays.jsonl"))
        for one in taken[0]:
            same = [r for r in records if (r.seed, r.params) == (one.record.seed, one.record.params)]
            assert len(same) == 4
            assert one.value == max(r.metrics["gains"][one.seat] for r in same if r.forfeit is None)
            assert one.record.players[one.seat].startswith("learner")

    def test_the_best_round_is_what_is_kept(self, given, tmp_path, monkeypatch):
        measured_as(monkeypatch, [0.2, 0.5, 0.4])
        folder = train(given, tmp_path, patience=9)
        assert settings(folder)["best_round"] == 1
        assert not changed(weights(folder), weights(folder / "round-1"))
        assert changed(weights(folder), weights(folder / "round-2"))

    def test_it_stops_when_nothing_has_become_better(self, given, tmp_path, monkeypatch, taught):
        measured_as(monkeypatch, [0.5, 0.4, 0.5, 0.6])
        folder = train(given, tmp_path, rounds=3, patience=2)
        assert [row["round"] for row in rounds(folder)] == ["0", "1", "2"]
        assert settings(folder)["best_round"] == 0
        assert not changed(weights(folder), weights(taught))


def measured_as(monkeypatch, means):
    """Lets the validations of one training come out so."""
    given = iter(means)
    monkeypatch.setattr(
        iterate.Validation,
        "measure",
        lambda self, policy: ValidationResult("this model", [next(given)] * len(self.episode_specs), 1.0, 1),
    )


class StopError(Exception):
    """Ends a test early."""


def stop():
    raise StopError


class TestBreaks:
    def test_it_goes_on_at_the_step_where_it_was(self, given, whole, tmp_path, monkeypatch):
        given = {**given, **TAUGHT, "checkpoint_every": 1}
        real, made = sft_trainer.label_log_probabilities, []

        def deadly(*args):
            made.append((args[1]["labels"] != IGNORED).sum())
            return real(*args) if len(made) < 4 else stop()

        monkeypatch.setattr(sft_trainer, "label_log_probabilities", deadly)
        with pytest.raises(StopError):
            train(given, tmp_path / "broken")
        monkeypatch.undo()
        assert [row["round"] for row in rounds(tmp_path / "broken")] == ["0", "1"]
        assert (tmp_path / "broken" / "round-2" / "checkpoint-1").is_dir()
        self.same_after_resuming(given, whole, tmp_path, monkeypatch)

    def same_after_resuming(self, given, whole, tmp_path, monkeypatch):
        learned = []
        real = sft_trainer.label_log_probabilities
        monkeypatch.setattr(sft_trainer, "label_log_probabilities", lambda *args: learned.append(1) or real(*args))
        train({**given, "resume": True}, tmp_path / "broken")
        assert len(learned) == 1
        for name in ("round-1", "round-2", "."):
            assert not changed(weights(whole / name), weights(tmp_path / "broken" / name))
        apart = [[{**row, "seconds": ""} for row in rounds(folder)] for folder in (whole, tmp_path / "broken")]
        assert apart[0] == apart[1]

    @pytest.mark.long
    def test_also_after_kill_9(self, given, whole, tmp_path, monkeypatch):
        given = {**given, **TAUGHT, "checkpoint_every": 1}
        line = json.dumps({**given, "out": str(tmp_path / "broken")})
        assert subprocess.run([sys.executable, "-c", KILLED, line], check=False).returncode == -signal.SIGKILL
        self.same_after_resuming(given, whole, tmp_path, monkeypatch)

    def test_rounds_of_another_training_are_not_overwritten(self, given, tmp_path):
        (tmp_path / "round-1").mkdir()
        with refuses(ValueError, tmp_path, "--resume"):
            train(given, tmp_path)

    def test_a_line_that_was_cut_off_is_taken_away(self, tmp_path):
        (tmp_path / "rounds.csv").write_text(f"{','.join(iterate.HEADER)}\n0,0,0,,,0.5,,,1.0,2\n1,8,")
        assert [one.number for one in iterate.read_rounds(IterationRecipe(out=tmp_path, resume=True))] == [0]
        assert len((tmp_path / "rounds.csv").read_text().splitlines()) == 2


KILLED = """
import json, os, signal, sys
from econzoo.train.lm import iterate, sft_trainer
from econzoo.train.lm.iterate import IterationRecipe

real, made = sft_trainer.label_log_probabilities, []

def deadly(*args):
    made.append(1)
    if len(made) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*args)

sft_trainer.label_log_probabilities = deadly
iterate.train_iterate(IterationRecipe(**json.loads(sys.argv[1])))
"""
"""A training that is killed in the second step of its second round."""


def test_a_dry_run_tells_and_writes_nothing(given, tmp_path):
    rows = dict(iterate.dry_run(IterationRecipe(**{**given, "matches": 20}, out=str(tmp_path / "none"))).rows)
    says(rows["rounds"], 2)
    says(rows["playing"], 80)
    assert {"validation", "memory", "time"} <= set(rows)
    assert not (tmp_path / "none").exists()


def test_wrong_arguments(given, tmp_path):
    for wrong, *named in (
        ({"rounds": 0}, "rounds=0"),
        ({"patience": 0}, "patience=0"),
        ({"keep": 0.0}, "keep=0.0"),
        ({"eval": 0}, "eval=0"),
        ({"teacher": ["nobody"]}, "nobody"),
        ({"opponents": ["greedy(0.9)"]}, "greedy(0.9)", "validation"),
        ({"trl": ["packing=true"]}, "packing"),
        ({"constrained": False, "max_new_tokens": 1}, "hf:"),
    ):
        with refuses(ValueError, *named):
            train({**given, **wrong}, tmp_path / "out")
