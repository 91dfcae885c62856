"""The trainer of GRPO on a tiny model: its loss, its reference, what it leaves behind, and what it goes on from."""

from __future__ import annotations

import multiprocessing
import os
import signal

import pytest
from lm_world import SHORT, changed, learning_curve, settings, weights

from econzoo.train.lm.group_rollout import GroupRollout
from econzoo.train.lm.grpo import GRPORecipe, dry_run, fast_trainer, train_grpo
from econzoo.train.lm.model import load_for_training, prepare_trainable
from refusals import refuses, says

pytestmark = pytest.mark.models


QUICK = {"groups": 1, "group_size": 2, "max_resamples": 0}


def arguments(model, out, **more):
    small = {"steps": 2, "groups": 2, "group_size": 4, "max_new_tokens": 24, "param": SHORT, "lr": 1e-3, "warmup": 0}
    return GRPORecipe(**{"model": f"hf:{model}", "out": str(out), "dtype": "float32", **small, **more})


def scored(model, out, **more):
    """A trainer, and a step's matches as it takes them."""
    args = arguments(model, out, **more)
    loaded = load_for_training(args.model)
    adapter = prepare_trainable(loaded.model, args.layers, args.lora)
    trainer = fast_trainer(args, args.policy(loaded, args.max_length), adapter)
    trainer.model.train()
    rows = [{"prompt": one.to_json()} for one in args.episode_specs[: args.groups] for _ in range(args.group_size)]
    trainer.current_gradient_accumulation_steps = 1
    return trainer, trainer._generate_and_score_completions(rows)


def parts(made):
    """Token ids, mask and length of the completions, and the mask of the policy's own tokens."""
    import torch

    ids = torch.cat([made["prompt_ids"], made["completion_ids"]], 1)
    mask = torch.cat([made["prompt_mask"], made["completion_mask"]], 1)
    return ids, mask, made["completion_ids"].shape[1], (made["completion_mask"] * made["tool_mask"]).bool()


@pytest.mark.parametrize("rank", [0, 4])
def test_own_tokens_have_the_log_probabilities_that_trl_computes(taught, tmp_path, rank):
    from trl import GRPOTrainer

    trainer, made = scored(taught, tmp_path, temperature=0.7, lora=rank)
    ids, mask, keep, own = parts(made)
    trainer._own = own
    ours = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, keep, 3, compute_entropy=True)
    theirs = GRPOTrainer._get_per_token_logps_and_entropies(
        trainer, trainer.model, ids, mask, keep, compute_entropy=True
    )
    for one, other in zip(ours[:2], theirs[:2], strict=True):
        assert one[own].allclose(other[own], atol=1e-4)
        assert not one[~own].any()
    assert own.any(1).all()
    assert not own.all()


@pytest.mark.parametrize("how", [{}, {"layers": 1}, {"lora": 4}])
@pytest.mark.slow
def test_the_reference_is_the_model_as_it_was_at_the_start(taught, tmp_path, how):
    import torch

    trainer, _ = scored(taught, tmp_path, beta=0.1, **how)
    now = {name: weight.clone() for name, weight in trainer.model.named_parameters()}
    with torch.no_grad():
        for weight in trainer.model.parameters():
            weight.add_(0.05 * torch.randn_like(weight) * weight.requires_grad)
    moved = trainer._generate_and_score_completions([{"prompt": training_ticket(taught, tmp_path)}] * 4)
    ids, mask, keep, own = parts(moved)
    before = {name: weight.clone() for name, weight in trainer.model.named_parameters()}
    for name, weight in trainer.model.named_parameters():
        weight.data = now[name]
    trainer._own = own
    start, _, _ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, keep)
    assert moved["ref_per_token_logps"].allclose(start, atol=1e-5)
    assert any(not before[name].equal(now[name]) for name in now), "the weights that learn came back"
    if "layers" in how:
        kept = sum(start.numel() for _, start in trainer.ref_model._kept)
        assert kept < sum(weight.numel() for weight in now.values()) / 2


def training_ticket(model, out):
    return arguments(model, out).episode_specs[0].to_json()


def test_each_decision_has_its_advantage_on_its_own_tokens(taught, tmp_path):
    trainer, made = scored(taught, tmp_path, credit="decision", temperature=1.3, param=[*SHORT, "horizon=4"])
    _, _, keep, own = parts(made)
    wanted = trainer.rollout_func.advantages
    assert made["advantages"].shape == (8, keep)
    assert [row[: len(one)].tolist() for row, one in zip(made["advantages"], wanted, strict=True)] == [
        pytest.approx(one) for one in wanted
    ]
    assert not made["advantages"][~made["completion_mask"].bool()].any()
    assert any(
        len({round(value, 4) for value in row[mine].tolist()}) > 1
        for row, mine in zip(made["advantages"], own, strict=True)
    )


@pytest.mark.slow
def test_the_entropy_bonus_raises_the_entropy(taught, tmp_path):
    """No reply can be used, so that all advantages are 0 and there is nothing else to learn from."""
    train_grpo(arguments(taught, tmp_path, max_new_tokens=2, steps=6, entropy=1.0, **QUICK))
    header, *rows = learning_curve(tmp_path)
    entropies = [float(row[header.index("entropy")]) for row in rows]
    assert entropies[-1] > entropies[0] + 0.05
    assert {row[header.index("spread")] for row in rows} == {"0.0"}


@pytest.mark.slow
def test_a_kill_changes_nothing_but_the_time(taught, tmp_path):
    """The end is the same as without a break: weights, matches, random numbers and figures."""
    more = {"steps": 5, "checkpoint_every": 2, "micro_batch": 4, "credit": "decision", "beta": 0.02, "entropy": 0.01}
    more |= {"schedule": "linear", "layers": 1, "temperature": 0.5, "opponents": ["fair", "random"]}
    train_grpo(arguments(taught, tmp_path / "whole", **more))
    broken = arguments(taught, tmp_path / "broken", **more)
    other = multiprocessing.get_context("fork").Process(target=killed_in_step_4, args=(broken,))
    other.start()
    other.join()
    assert other.exitcode == -signal.SIGKILL
    assert not (tmp_path / "broken" / "training.json").exists()
    broken.resume = True
    train_grpo(broken)
    assert not changed(weights(tmp_path / "whole"), weights(tmp_path / "broken"))
    whole, again = (learning_curve(tmp_path / name) for name in ("whole", "broken"))
    assert [row[:-1] for row in whole] == [row[:-1] for row in again], "all but the seconds"
    assert len(whole) == 6


def killed_in_step_4(args):
    real, played = GroupRollout._play, []

    def play(self, *given):
        played.append(1)
        if len(played) == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, *given)

    GroupRollout._play = play
    train_grpo(args)


@pytest.mark.slow
def test_what_a_run_leaves_behind(taught, tmp_path):
    more = {"eval": 2, "eval_every": 1, "checkpoint_every": 2, "steps": 3, "track": ["tensorboard"]}
    train_grpo(arguments(taught, tmp_path, **more, trl=["loss_type=dr_grpo"]))
    header, *rows = ((tmp_path / "validation_curve.csv").read_text()).splitlines()
    assert header.startswith("steps,value")
    assert [row.partition(",")[0] for row in rows] == ["0", "1", "2", "3"]
    for folder, steps in ((tmp_path, 3), (tmp_path / "checkpoint-3", 3)):
        card = (folder / "README.md").read_text()
        says(card, steps, "grpo")
        assert "| this model |" in card
        assert "| `fair` |" in card
        assert "| seats | 0, 1 |" in card
    written = settings(tmp_path)
    assert (written["first_validation"]["steps"], written["last_validation"]["steps"], written["steps"]) == (0, 3, 3)
    assert list((tmp_path / "tensorboard").iterdir())


@pytest.mark.slow
def test_an_alarm_tells_and_stops_with_a_checkpoint(taught, tmp_path, capsys):
    more = {"steps": 9, "alarm": ["entropy=50"], "checkpoint_every": 0, "stop_on_collapse": True}
    train_grpo(arguments(taught, tmp_path, **more, **QUICK))
    header, *rows = learning_curve(tmp_path)
    assert [row[header.index("alarms")] for row in rows] == ["0.0"] * 4 + ["1.0"]
    assert (tmp_path / "checkpoint-5" / "trainer_state.json").exists()
    told = "step 5: entropy"
    assert f"warning: {told}" in capsys.readouterr().err
    assert settings(tmp_path)["steps"] == 5
    assert settings(tmp_path)["alarms"][0].startswith(told)


@pytest.mark.slow
def test_an_alarm_alone_only_tells(taught, tmp_path, capsys):
    train_grpo(arguments(taught, tmp_path, steps=6, alarm=["spread=50"], **QUICK))
    assert len(learning_curve(tmp_path)) == 7
    assert capsys.readouterr().err.count("warning: step") == 1, "when it begins, not at every step"


def test_a_dry_run_tells_and_writes_nothing(taught, tmp_path):
    rows = dict(dry_run(arguments(taught, tmp_path / "none", layers=1, beta=0.1, steps=10)).rows)
    says(rows["matches"], 80, 10, 2, 4)
    assert {"tokens", "memory", "time", "playing", "learning"} <= set(rows)
    learned, total = (int(part.replace(",", "")) for part in rows["parameters"].removesuffix(" learn").split(" of "))
    assert learned < total / 2
    assert not (tmp_path / "none").exists()


def test_wrong_arguments(taught, tmp_path):
    for wrong, *named in (
        ({"credit": "token"}, "credit='token'"),
        ({"max_resamples": -1}, "max_resamples=-1"),
        ({"beta": -0.1}, "beta=-0.1"),
        ({"entropy": -0.1}, "entropy=-0.1"),
        ({"dtype": "int8"}, "dtype='int8'"),
        ({"eval_every": 5}, "eval_every=5"),
        ({"mode": "tools", "credit": "decision"}, "credit='decision'"),
        ({"trl": ["beta=0.1"]}, "beta", "--beta"),
        ({"trl": ["top_p=0.9"]}, "top_p"),
        ({"trl": ["entropy_coef=1"]}, "entropy_coef", "--entropy"),
    ):
        with refuses(ValueError, *named):
            train_grpo(arguments(taught, tmp_path / "out", **wrong))
        assert not (tmp_path / "out").exists()
