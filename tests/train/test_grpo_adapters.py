"""Two adapters on one base: each speaks in its seat, learns from its own tokens, and is left as a player of its own."""

from __future__ import annotations

import os
import signal

import pytest
from lm_world import SHORT, changed, learning_curve, weights
from test_grpo_trainer import parts

import econzoo
from econzoo.train.lm.adapters import activate_adapter, adapter_of
from econzoo.train.lm.group_rollout import GroupRollout
from econzoo.train.lm.grpo import GRPORecipe, fast_trainer, train_grpo
from econzoo.train.lm.model import load_for_training, prepare_trainable
from refusals import refuses, says

pytestmark = pytest.mark.models


def recipe(out="runs/none", model="hf:smollm2", **more):
    small = {"steps": 2, "groups": 2, "group_size": 4, "max_new_tokens": 24, "param": SHORT, "lr": 1e-2, "warmup": 0}
    two = {"opponents": ["self"], "adapters": "seat", "lora": 4, "dtype": "float32"}
    return GRPORecipe(**{**two, "out": str(out), "model": model, **small, **more})


def scored(model, out, spread=0.02, **more):
    """A trainer whose adapters differ, and a step's matches as it takes them."""
    import torch

    args = recipe(out, f"hf:{model}", **more)
    loaded = load_for_training(args.model)
    adapter = prepare_trainable(loaded.model, args.layers, args.lora)
    trainer = fast_trainer(args, args.policy(loaded, args.max_length), adapter)
    torch.manual_seed(1)
    with torch.no_grad():
        for name, weight in trainer.model.named_parameters():
            if "lora_B" in name:
                weight.add_(spread * torch.randn_like(weight))
    trainer.model.train()
    rows = [{"prompt": one.to_json()} for one in args.episode_specs[: args.groups] for _ in range(args.group_size)]
    trainer.current_gradient_accumulation_steps = 1
    return trainer, trainer._generate_and_score_completions(rows)


def own(trainer, seat):
    return {name: one for name, one in trainer.model.named_parameters() if f".{adapter_of(seat)}." in name}


def test_each_row_is_scored_by_the_adapter_of_its_seat(taught, tmp_path):
    from trl import GRPOTrainer

    trainer, made = scored(taught, tmp_path)
    assert made["seat"].tolist() == [0] * 4 + [1] * 4
    ids, mask, keep, wrote = parts(made)
    trainer._own, trainer._seats = wrote, made["seat"]
    ours, entropies, _ = trainer._get_per_token_logps_and_entropies(
        trainer.model, ids, mask, keep, 3, compute_entropy=True
    )
    alone = []
    for seat in (0, 1):
        with activate_adapter(trainer.model, seat):
            alone.append(GRPOTrainer._get_per_token_logps_and_entropies(trainer, trainer.model, ids, mask, keep)[0])
    for row, seat in enumerate(made["seat"].tolist()):
        assert ours[row][wrote[row]].allclose(alone[seat][row][wrote[row]], atol=1e-4)
        assert not ours[row][wrote[row]].allclose(alone[1 - seat][row][wrote[row]], atol=1e-3)
    assert entropies.shape == ours.shape


def test_each_seat_speaks_with_its_adapter(taught, tmp_path):
    """Greedily, so that what it wrote is what its adapter finds the likeliest."""
    trainer, made = scored(taught, tmp_path, spread=0.3, temperature=1e-4)
    ids, mask, keep, wrote = parts(made)
    trainer._own, trainer._seats = wrote, made["seat"]
    right, _, _ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, keep)
    assert right.abs().max() < 0.1
    trainer._seats = 1 - made["seat"]
    wrong, _, _ = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, keep)
    assert wrong.abs().max() > 1


def test_an_adapter_learns_from_the_tokens_of_its_seat_alone(taught, tmp_path):
    """Of the rows of one seat the other's gradient is zero; of all rows together each has that of its own."""
    trainer, made = scored(taught, tmp_path, temperature=1.3)
    ids, mask, keep, wrote = parts(made)
    gradients = []
    for seats in ([0], [1], [0, 1]):
        trainer.model.zero_grad()
        rows = [row for row, seat in enumerate(made["seat"].tolist()) if seat in seats]
        trainer._own, trainer._seats = wrote[rows], made["seat"][rows]
        found, _, _ = trainer._get_per_token_logps_and_entropies(trainer.model, ids[rows], mask[rows], keep)
        found.sum().backward()
        gradients.append({seat: {n: one.grad for n, one in own(trainer, seat).items()} for seat in (0, 1)})
    first, second, both = gradients
    assert all(one is None or not one.any() for one in (*first[1].values(), *second[0].values()))
    assert any(one.any() for one in first[0].values())
    for seat, alone in enumerate((first, second)):
        assert all(both[seat][name].allclose(one, atol=1e-4, rtol=1e-3) for name, one in alone[seat].items())


def test_both_play_from_the_folder_of_the_training(taught, tmp_path):
    train_grpo(recipe(tmp_path, f"hf:{taught}", eval=1))
    first, second = weights(tmp_path), weights(tmp_path / "seat-1")
    assert changed(weights(taught), first)
    assert changed(weights(taught), second)
    assert changed(first, second)
    says((tmp_path / "README.md").read_text(), "seat-1", "self")
    record = econzoo.play("bargaining", [f"hf:{tmp_path}", f"hf:{tmp_path / 'seat-1'}"], horizon=2, messages=False)
    assert record.status == "finished"


@pytest.mark.slow
def test_who_does_not_learn_stays_as_it_was(taught, tmp_path):
    train_grpo(recipe(tmp_path, f"hf:{taught}", seats=[1], beta=0.01))
    assert not changed(weights(taught), weights(tmp_path))
    assert changed(weights(taught), weights(tmp_path / "seat-1"))


@pytest.mark.slow
def test_a_break_changes_nothing_but_the_time(taught, tmp_path, monkeypatch):
    more = {"opponents": ["self", "past"], "steps": 4, "checkpoint_every": 0, "beta": 0.01}
    train_grpo(recipe(tmp_path / "whole", f"hf:{taught}", **more))
    real, played = GroupRollout._play, []

    def play(self, *given):
        played.append(1)
        if len(played) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return real(self, *given)

    monkeypatch.setattr(GroupRollout, "_play", play)
    with pytest.raises(KeyboardInterrupt):
        train_grpo(recipe(tmp_path / "broken", f"hf:{taught}", **more))
    train_grpo(recipe(tmp_path / "broken", f"hf:{taught}", **more, resume=True))
    for place in (".", "seat-1"):
        assert not changed(weights(tmp_path / "whole" / place), weights(tmp_path / "broken" / place))
    whole, again = (learning_curve(tmp_path / name) for name in ("whole", "broken"))
    assert [row[:-1] for row in whole] == [row[:-1] for row in again], "all but the seconds"


def test_where_they_are_not_allowed(taught, tmp_path):
    for wrong, *named in (
        ({"lora": 0}, "lora=0", "adapters=seat"),
        ({"adapters": "two"}, "adapters='two'", "seat"),
        ({"checkpointing": True}, "checkpointing=True"),
        ({"mode": "tools", "opponents": ["fair"]}, "mode='tools'"),
        ({"server": "http://127.0.0.1:8000"}, "server"),
    ):
        with refuses(ValueError, *named):
            recipe(**wrong)
    stacked = tmp_path / "stacked"
    stacked.mkdir()
    (stacked / "adapter_config.json").write_text(f'{{"base_model_name_or_path": "{taught}"}}')
    with refuses(ValueError, "stacked", "econzoo convert"):
        train_grpo(recipe(tmp_path / "out", f"hf:{stacked}"))
