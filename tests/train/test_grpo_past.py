"""GRPO against what the policy was: who is kept, who is met, with which weights, and after a break."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace

import pytest
from lm_world import SHORT, changed, learning_curve, weights

from econzoo.baselines.models import load
from econzoo.evaluate.run import PlayerCache
from econzoo.train.lm.dpo import DPORecipe
from econzoo.train.lm.episode_specs import make_specs
from econzoo.train.lm.group_rollout import GroupRollout
from econzoo.train.lm.grpo import GRPORecipe, dry_run, train_grpo
from econzoo.train.lm.rollout import Policy
from econzoo.train.lm.rollout_function import make_rollout_dataset
from econzoo.train.lm.snapshots import SNAPSHOTS, SavedWeights, Snapshots
from econzoo.train.reward import Reward
from refusals import refuses, says

pytestmark = pytest.mark.models


def recipe(out="runs/none", model="hf:smollm2", **more):
    small = {"steps": 4, "groups": 2, "group_size": 4, "max_new_tokens": 24, "param": SHORT, "lr": 1e-2, "warmup": 0}
    return GRPORecipe(**{"opponents": ["past"], "dtype": "float32", "out": str(out), "model": model, **small, **more})


def counting():
    """A model of one number, which is the step at which it is."""
    import torch

    model = torch.nn.Linear(1, 1, bias=False)
    model.weight.data.zero_()
    return model


def after(steps, seed=0, each=1):
    kept, model = Snapshots(each * steps, seed), counting()
    for step in range(each * steps):
        model.weight.data.fill_(step)
        kept.add_candidate(model, step)
    return kept


def steps_of(kept):
    return [one.step for one in kept.snapshots]


def test_the_first_ones_are_all_kept_with_the_weights_that_they_had():
    kept = after(SNAPSHOTS)
    assert steps_of(kept) == [*range(SNAPSHOTS)]
    assert [float(one.weights.tensors[0]) for one in kept.snapshots] == [*range(SNAPSHOTS)]


def test_of_many_each_is_as_likely_to_be_kept():
    """8 of 32: a quarter of 400 trainings each, within four standard deviations."""
    met = Counter(step for seed in range(400) for step in steps_of(after(32, seed)))
    assert met.total() == 400 * SNAPSHOTS
    assert all(abs(met[step] - 100) < 4 * (400 * 0.25 * 0.75) ** 0.5 for step in range(32))


def test_a_long_training_has_no_more_than_64_candidates():
    assert after(64, each=5).candidates == [*range(0, 320, 5)]
    assert len(after(1, each=127).candidates) == 64


def test_a_step_that_is_played_again_is_no_further_candidate():
    kept, model = after(4), counting()
    kept.add_candidate(model, 3)
    assert steps_of(kept) == [0, 1, 2, 3]


def test_all_of_a_match_meet_the_same_and_matches_meet_all():
    kept = after(6)
    drawn = make_specs("bargaining", [seed for seed in range(200) for _ in (0, 1)], [0, 1], ["past"])
    met = [kept.assign_snapshot(one).opponents for one in drawn]
    assert met[::2] == met[1::2]
    counts = Counter(met)
    assert set(counts) == {(f"past:{step}",) for step in range(6)}
    assert all(abs(count / 2 - 200 / 6) < 4 * (200 * 5 / 36) ** 0.5 for count in counts.values())
    fair = make_specs("bargaining", [0], [0], ["fair"])[0]
    assert kept.assign_snapshot(fair) == fair


@pytest.fixture
def policy(taught):
    loaded = load(taught, dtype="float32")
    start = SavedWeights(loaded.model)
    yield Policy(loaded, max_new_tokens=24, model=loaded.model)
    for weight, kept in start._kept:
        weight.data = kept


def moved(model, seed=0):
    import torch

    torch.manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.1 * torch.randn_like(weight))


def test_it_answers_with_the_weights_that_it_had(policy):
    """As the model did before it moved, from the same random numbers; afterwards the model is where it was."""
    kept = Snapshots(10, 0)
    kept.add_candidate(policy.model, 0)
    prompt = policy.loaded.encode([{"role": "user", "content": "It is your turn to propose a division of $100."}])
    then = kept.policies(policy)["past:0"].reply([prompt], [None])[0].tokens
    moved(policy.model)
    now = [one.clone() for one in policy.model.parameters()]
    assert kept.policies(policy)["past:0"].reply([prompt], [None])[0].tokens == then
    numbers = {"seed": kept.policies(policy)["past:0"].seed}
    assert replace(policy, **numbers, _readers={}).reply([prompt], [None])[0].tokens != then, "it has moved"
    assert all(one.equal(other) for one, other in zip(now, policy.model.parameters(), strict=True))


def test_one_seat_learns_and_the_record_says_whom_it_met(policy):
    kept = Snapshots(10, 0)
    for step in range(3):
        kept.add_candidate(policy.model, step)
    rollout = GroupRollout(Reward(), policy, PlayerCache("bargaining"), 4, snapshots=kept)
    params = {"money": 100, "horizon": 2, "messages": False}
    drawn = make_specs("bargaining", range(4), [0, 1], ["past"], **params)
    samples = rollout._play(policy, [one for one in drawn for _ in range(4)])
    for place, sample in enumerate(samples):
        met = kept.assign_snapshot(drawn[place // 4]).opponents[0]
        assert sample.record.players[1 - sample.seat] == met
        assert sum(sample.own_mask) == sum(span.end - span.begin for span in sample.spans)
        assert len(sample.spans) == sum(turn.seat == sample.seat for turn in sample.record.turns)
    assert len({sample.record.players[1 - sample.seat] for sample in samples}) > 1


def test_an_error_of_what_it_was_ends_the_run(policy):
    kept = Snapshots(10, 0)
    kept.add_candidate(policy.model, 0)
    rollout = GroupRollout(Reward(), policy, PlayerCache("bargaining"), 2, snapshots=kept)
    real = kept.policies

    def broken(policy):
        made = real(policy)
        made["past:0"].reply = lambda *given: 1 / 0
        return made

    kept.policies = broken
    (ticket,) = make_specs("bargaining", [0], [1], ["past"], money=100, horizon=2, messages=False)
    with pytest.raises(ZeroDivisionError):
        rollout._play(policy, [ticket] * 2)


@pytest.mark.slow
@pytest.mark.parametrize("rank", [0, 4])
def test_a_break_changes_nothing_but_the_time(taught, tmp_path, monkeypatch, rank):
    more = {"opponents": ["past", "self"], "lora": rank, "steps": 5, "checkpoint_every": 0}
    train_grpo(recipe(tmp_path / "whole", f"hf:{taught}", **more))
    real, played = GroupRollout._play, []

    def play(self, *given):
        played.append(1)
        if len(played) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return real(self, *given)

    monkeypatch.setattr(GroupRollout, "_play", play)
    with pytest.raises(KeyboardInterrupt):
        train_grpo(recipe(tmp_path / "broken", f"hf:{taught}", **more))
    assert (tmp_path / "broken" / "checkpoint-3" / "past.safetensors").is_file()
    train_grpo(recipe(tmp_path / "broken", f"hf:{taught}", **more, resume=True))
    assert not changed(weights(tmp_path / "whole"), weights(tmp_path / "broken"))
    whole, again = (learning_curve(tmp_path / name) for name in ("whole", "broken"))
    assert [row[:-1] for row in whole] == [row[:-1] for row in again], "all but the seconds"
    says((tmp_path / "whole" / "README.md").read_text(), "the model after steps 0, 1, 2, 3, 4")


def test_a_dry_run_plays_it_as_it_is(taught, tmp_path):
    assert "playing" in dict(dry_run(recipe(tmp_path / "none", f"hf:{taught}")).rows)


def test_where_it_is_not_allowed():
    with refuses(ValueError, "past", "train grpo"):
        DPORecipe(opponents=["past"])
    with refuses(ValueError, "past", "econzoo train grpo"):
        make_rollout_dataset("bargaining", [0], opponents=["past"])
    with refuses(ValueError, "past", "tools"):
        recipe(mode="tools")
    with refuses(ValueError, "server", "past"):
        recipe(server="http://127.0.0.1:8000")
