"""Arguments from files and from TRL: what a YAML file and ``--trl`` may say, and who wins."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pytest
import typer
from gymnasium import spaces
from typer.testing import CliRunner

from econzoo.envs.command_line import command, read_config, write_config
from econzoo.envs.core.contract import Integer, ListOf, Option, Real, Text
from econzoo.evaluate.show import format_duration
from econzoo.train import tracking
from econzoo.train.lm import dpo, grpo, iterate, sft, training_run
from econzoo.train.lm.dpo import DPORecipe
from econzoo.train.lm.dry_run import elsewhere
from econzoo.train.lm.grpo import GRPORecipe
from econzoo.train.lm.iterate import IterationRecipe
from econzoo.train.lm.sft import SFTRecipe
from econzoo.train.rl import command as ppo_command
from econzoo.train.rl import sb3
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses, says

pytestmark = pytest.mark.models


@dataclass
class Some:
    """Arguments of a test."""

    steps: Annotated[int, Option(Integer(1))] = 1
    lr: Annotated[float, Option(Real())] = 0.5
    opponents: Annotated[list[str], Option(ListOf(Text()))] = field(default_factory=list)


def ran(*line):
    """What the command gets."""
    app, got = typer.Typer(), []
    app.command()(command(Some, got.append))
    done = CliRunner().invoke(app, list(line))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return got[0]


@pytest.fixture
def file(tmp_path):
    def written(text):
        path = tmp_path / "a.yaml"
        path.write_text(text)
        return str(path)

    return written


class TestConfig:
    def test_stands_in_place_of_the_defaults(self, file):
        assert ran("--config", file("steps: 7\nopponents: [fair, greedy]")) == Some(7, 0.5, ["fair", "greedy"])

    def test_the_command_line_wins(self, file):
        assert ran("--config", file("steps: 7\nlr: 0.1"), "--steps", "1") == Some(1, 0.1)

    def test_without_one_all_is_as_ever(self):
        assert ran("--lr", "0.2") == Some(lr=0.2)

    def test_values_take_the_type_of_their_field(self, file):
        for text, given in (
            ("lr: 1e-4", {"lr": 1e-4}),
            ("lr: 1", {"lr": 1}),
            ("param: {money: 100, delta: [0.9, 0.8]}", {"param": ["money=100", "delta=[0.9, 0.8]"]}),
            ("teacher: fair", {"teacher": ["fair"]}),
            ("seats: 1", {"seats": [1]}),
        ):
            assert read_config(file(text), SFTRecipe) == given

    def test_what_does_not_fit_is_refused(self, file):
        for text, *named in (
            ("stepps: 3", "stepps", "seed", "steps"),
            ("steps: many", "steps='many'"),
            ("steps: true", "steps=True"),
            ("steps: 1.5", "steps=1.5"),
            ("lr: .nan", "lr=nan"),
            ("seats: [a]", "seats", "a", 0),
            ("- 1", "a.yaml"),
            ("steps: 1\nsteps: 2", "a.yaml", "steps"),
            ("{", "a.yaml", "YAML"),
            ("steps: !!python/object/apply:os.getcwd []", "a.yaml", "YAML"),
        ):
            with refuses(ValueError, *named):
                read_config(file(text), SFTRecipe)

    def test_a_file_may_be_toml(self, tmp_path):
        path = tmp_path / "a.toml"
        path.write_text('steps = 7\nopponents = "fair"\n')
        assert ran("--config", str(path), "--lr", "1e-3") == Some(7, 1e-3, ["fair"])
        path.write_text("steps = ")
        with refuses(ValueError, path, "TOML"):
            read_config(path, Some)

    def test_what_a_training_writes_makes_the_same_training(self, tmp_path):
        for recipe in (
            PPORecipe("bargaining", opponents=["fair"], seats="1", lr=1e-4, net=[8, 8]),
            SFTRecipe(["r.jsonl"], param=["money=100", 'prompts="short"'], keep=0.3),
            DPORecipe(objective="0.5*self_gain + 0.5*fairness", trl=["weight_decay=0.01"]),
            GRPORecipe("negotiation", alarm=["cut=0.5"], seats=[1], lora=4, constrained=True),
            IterationRecipe(teacher=["fair"], track=["tensorboard"], out='runs/"a b"\\é\x7f'),
        ):
            again = type(recipe)(**read_config(write_config(tmp_path, recipe), type(recipe)))
            assert again == recipe
            assert again.to_plain() == recipe.to_plain()

    def test_a_switch_of_the_file_can_be_taken_back(self, tmp_path):
        app, got = typer.Typer(), []
        app.command()(command(GRPORecipe, got.append))
        path = write_config(tmp_path, GRPORecipe(constrained=True))
        assert CliRunner().invoke(app, ["--config", str(path), "--no-constrained"]).exit_code == 0
        assert not got[0].constrained

    def test_a_file_that_is_not_there(self):
        with refuses(ValueError, "/nowhere/a.yaml"):
            read_config("/nowhere/a.yaml", SFTRecipe)


class TestTRL:
    @pytest.fixture
    def settings(self):
        from econzoo.train.lm import sft

        return lambda *given, **more: sft.training_arguments(SFTRecipe(["r"], trl=list(given), **more))

    def test_any_other_field_can_be_set(self, settings):
        found = settings("weight_decay=0.25", "optim=adamw_torch", "lr_scheduler_type=cosine", "neftune_noise_alpha=5")
        assert found.weight_decay == 0.25
        assert found.optim == "adamw_torch"
        assert found.lr_scheduler_type == "cosine"
        assert found.neftune_noise_alpha == 5

    def test_what_would_have_no_effect_or_does_not_fit_is_refused(self, settings):
        for given, *named in (
            ("learning_rate=1", "learning_rate", "--lr"),
            ("packing=true", "packing"),
            ("loss_type=dft", "loss_type"),
            ("bf16=true", "bf16", "--dtype"),
            ("eval_steps=3", "eval_steps"),
            ("weight_dekay=1", "weight_dekay", "SFTConfig"),
            ("weight_decay=much", "weight_decay='much'"),
            ("optim=sgdd", "optim", "sgdd", "adamw_torch"),
            ("dataloader_num_workers=1.5", "dataloader_num_workers", 1.5),
            ("full_determinism=1", "full_determinism", 1, "true", "false"),
            ("weight_decay", "weight_decay", "NAME=VALUE"),
        ):
            with refuses(ValueError, *named):
                settings(given)

    def test_what_trl_itself_refuses_is_told_in_one_line(self, settings):
        with refuses(ValueError, "logging_steps") as refused:
            settings("logging_strategy=steps", "logging_steps=0")
        assert len(str(refused.value).splitlines()) == 1

    def test_every_reason_names_a_field_that_trl_has(self):
        from dataclasses import fields

        from trl.trainer.dpo_config import DPOConfig
        from trl.trainer.grpo_config import GRPOConfig
        from trl.trainer.sft_config import SFTConfig

        from econzoo.train.lm.trl_settings import ALWAYS, DPO_FIELDS, FLAGS, OVERRIDABLE, SFT_FIELDS

        known = {one.name for kind in (SFTConfig, DPOConfig, GRPOConfig) for one in fields(kind)}
        assert {*ALWAYS, *DPO_FIELDS, *SFT_FIELDS, *OVERRIDABLE} <= known
        assert set(FLAGS) <= known
        assert "use_weighting" in DPO_FIELDS, "the first step would fail: it needs what the fast path does not keep"


def refused_by(act, *args):
    """The one line with which an act refuses."""
    with pytest.raises((ValueError, ImportError, OSError)) as refused:
        act(*args)
    return str(refused.value)


class TestDryRun:
    """A dry run refuses what the run refuses, in the same words, and before it plays or writes anything."""

    TRAININGS = (
        (SFTRecipe, sft.train_sft, sft.dry_run, {"teacher": ["fair"]}),
        (DPORecipe, dpo.train_dpo, dpo.dry_run, {"game": "bargaining"}),
        (IterationRecipe, iterate.train_iterate, iterate.dry_run, {"game": "bargaining"}),
        (GRPORecipe, grpo.train_grpo, grpo.dry_run, {"game": "bargaining", "groups": 1, "group_size": 2}),
    )
    REFUSED = (
        {"trl": ["use_liger_kernel=true"]},
        {"trl": ["optim=adamw_8bit"]},
        {"trl": ["optim=nonsense"]},
        {"trl": ["deepspeed=x.json"]},
        {"trl": ["lr_scheduler_type=cosine_with_min_lr"]},
        {"trl": ["weight_decay=much"]},
        {"trl": ["beta=0.2"]},
        {"trl": ["no_such_field=1"]},
        {"track": ["trackio"]},
        {"model": "hf:nowhere"},
    )

    def test_of_language_models(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tracking, "_import_tracker", not_installed)
        file = tmp_path / "file"
        file.write_text("")
        started = tmp_path / "started"
        for kind, train, dry_run, given in self.TRAININGS:
            for wrong in (*self.REFUSED, {"out": str(file)}):
                recipe = kind(**{"model": "hf:nowhere", "out": str(tmp_path / "none"), **given, **wrong})
                assert refused_by(dry_run, recipe) == refused_by(train, recipe), (kind.METHOD, wrong)
            shutil.rmtree(started, ignore_errors=True)
            recipe = kind(**given, model="hf:nowhere", out=str(started), seed=1)
            training_run.begin_training(recipe)
            recipe = kind(**given, model="hf:nowhere", out=str(started), seed=2, resume=True)
            assert "seed=2 with --resume" in refused_by(dry_run, recipe)
            assert refused_by(dry_run, recipe) == refused_by(train, recipe), kind.METHOD
        for wrong in ({"trl": ["loss_type=nonsense"]}, {"trl": ["importance_sampling_level=word"]}):
            recipe = GRPORecipe(game="bargaining", model="hf:nowhere", out=str(tmp_path / "none"), **wrong)
            assert refused_by(grpo.dry_run, recipe) == refused_by(grpo.train_grpo, recipe)
            assert "expected" in refused_by(grpo.dry_run, recipe)
        (tmp_path / "rounds" / "round-1").mkdir(parents=True)
        recipe = IterationRecipe(game="bargaining", model="hf:nowhere", out=str(tmp_path / "rounds"))
        assert "without rounds" in refused_by(iterate.dry_run, recipe)

    def test_its_trainer_has_no_folder_and_no_repository_of_the_training(self, tmp_path):
        given = ["push_to_hub=true", "hub_model_id=me/mine", "weight_decay=0.1"]
        recipe = GRPORecipe(game="bargaining", out=str(tmp_path / "none"), trl=given)
        with elsewhere(recipe) as moved:
            assert moved.trl_fields == {"weight_decay": 0.1}
            assert moved.out != recipe.out
        assert "push_to_hub" in recipe.trl_fields
        assert not moved.out.exists()

    def test_of_a_network(self, tmp_path, monkeypatch):
        monkeypatch.setattr(tracking, "_import_tracker", not_installed)
        (tmp_path / "bad.yaml").write_text("search: {lr: [a]}")
        (tmp_path / "held").mkdir()
        (tmp_path / "held" / "policy.zip").write_text("damaged")
        for wrong in (
            {"track": ["trackio"]},
            {"resume": True},
            {"resume": True, "seeds": 2},
            {"sweep": str(tmp_path / "bad.yaml")},
            {"sweep": str(tmp_path / "none.yaml")},
            {"seeds": 2, "ray_address": "auto"},
            {"out": str(tmp_path / "held")},
            {"exploitability": True, "memory": "gru"},
            {"out": str(tmp_path / "bad.yaml")},
        ):
            recipe = PPORecipe(**{"game": "matrix", "out": str(tmp_path / "none"), "timesteps": 64, **wrong})
            assert refused_by(ppo_command.dry_run, recipe) == refused_by(ppo_command.train_and_report, recipe), wrong
        assert not (tmp_path / "none").exists()


def not_installed(name):
    """A library that is not there."""
    raise ImportError(f"--track {name} needs the library {name}")


class SlowGames:
    """Games of three moves, each of which takes a tenth of a second of a clock of their own."""

    def __init__(self, move_seconds: float) -> None:
        self.now, self._seconds, self._left, self.steps = 0.0, move_seconds, 3, 0
        self.action_space = spaces.Discrete(2)

    def reset(self, seed: int | None = None) -> None:
        self._left = 3

    def action_masks(self) -> np.ndarray:
        return np.array([False, True])

    def step(self, action: int) -> tuple[None, float, bool, bool, dict[str, object]]:
        assert action == 1, "legal"
        self.now, self._left, self.steps = self.now + self._seconds, self._left - 1, self.steps + 1
        return None, 0.0, self._left == 0, False, {}


@pytest.fixture
def slow(monkeypatch):
    def games(move_seconds):
        made = SlowGames(move_seconds)
        monkeypatch.setattr(sb3, "make_env", lambda *args: made)
        monkeypatch.setattr(sb3.time, "perf_counter", lambda: made.now)
        return made

    return games


def test_a_folder_inside_a_file_is_refused_before_training(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "run"):
        with refuses(ValueError, "file is a file; expected a folder"):
            ppo_command.check_training(PPORecipe("bargaining", out=out))


class TestCost:
    def test_a_training_on_slow_games_tells_its_cost_by_its_first_moves(self, slow, tmp_path):
        recipe = PPORecipe("program_coin", out=str(tmp_path), timesteps=6_000, eval_every=3_000)
        for seconds, moves, rate in ((0.125, 16, "8"), (30.0, 1, "0.0333")):
            games = slow(seconds)
            line = sb3.describe_cost(recipe, 0)
            assert games.steps == moves + 1, "the probe is short, and its first move is not timed"
            says(
                line,
                f"about {rate} moves a second",
                "for 6,000 moves and 3 evaluations",
                "by the first 16 moves" if moves == 16 else "by the first 1 move",
            )
        slow(0.125)
        speed = sb3.measure_speed(recipe)
        assert (speed.moves, speed.per_second, speed.per_episode) == (16, 8.0, 16 / 5)
        evaluation = recipe.eval_episodes * len(recipe.eval_opponents) * 3.2 / 8
        assert speed.seconds_of_evaluation(recipe) == pytest.approx(evaluation)
        slow(0.125)
        assert f"about {format_duration(6_000 / 8 + 3 * evaluation)} for" in sb3.describe_cost(recipe, 0)
        slow(1e-5)
        assert sb3.describe_cost(recipe, 0) == "", "fast ones tell nothing"

    def test_a_dry_run_on_slow_games_plays_no_update(self, tmp_path, monkeypatch):
        recipe = PPORecipe("program_coin", out=str(tmp_path / "none"), timesteps=6_000)
        monkeypatch.setattr(ppo_command, "measure_speed", lambda recipe: sb3.Speed(16, 8.0, 3.2))
        monkeypatch.setattr(ppo_command, "_seconds", lambda act: pytest.fail("an update was played"))
        table = ppo_command.dry_run(recipe)
        assert dict(table.rows)["speed"] == "8 moves/s"
        says(table.note, "16 moves of random play")

    def test_it_is_told_before_the_training_starts(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(sb3, "describe_cost", lambda recipe, done: "about 1 move a second")
        monkeypatch.setattr(sb3, "make_model", lambda recipe, start: SimpleNamespace(num_timesteps=0))
        monkeypatch.setattr(sb3, "make_evaluation", lambda recipe: pytest.fail(capsys.readouterr().err))
        with pytest.raises(pytest.fail.Exception, match="about 1 move a second"):
            sb3.train(PPORecipe("program_coin", out=str(tmp_path)), None)
