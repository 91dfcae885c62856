"""Training in code reading: the reward is the log score, and what is held out is never trained on."""

from __future__ import annotations

import math
from importlib.util import find_spec

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import RecordFile
from econzoo.envs.games.code_reading import GAME, metrics
from econzoo.envs.games.code_reading.items import items, set_members
from econzoo.envs.games.code_reading.rules import MAX_PROBABILITY, MIN_PROBABILITY, score
from econzoo.envs.games.code_reading.scenarios import TEST, VALIDATION
from exhaustive import long_unless

needs_texts = pytest.mark.skipif(find_spec("axelrod") is None, reason="the texts come from Axelrod")


@pytest.mark.parametrize(("item", "said"), [("TitForTat", 0.9), ("Defector", 0.9), ("ALLCorALLD", 0.6)])
def test_the_reward_is_the_log_score_on_a_scale_from_0_to_1(item, said):
    env = econzoo.make("code_reading", face="structured", item=item)
    env.reset(seed=0)
    env.step({"kind": "probability", "probability": said})
    label = {one.name: one.label for one in items()}[item]
    scaled = (score(label, said) - math.log(MIN_PROBABILITY)) / (math.log(MAX_PROBABILITY) - math.log(MIN_PROBABILITY))
    reward = Objective("self_gain").reward(env.payoffs, metrics.outcome(env.params, env.game_state), 0)
    assert reward == pytest.approx(scaled)


def test_training_never_draws_what_is_held_out():
    rng = np.random.default_rng(0)
    drawn = {GAME.sample("train", rng)["item"] for _ in range(2000)}
    held = {market["item"] for market in (*VALIDATION, *TEST)}
    assert not drawn & held
    assert drawn | held == {items()[number].name for number in set_members("all")}, (
        "2000 draws find every training item"
    )
    assert len(held) == len(set_members("held-out"))


@pytest.mark.long
@pytest.mark.models
@needs_texts
def test_sft_and_a_step_of_grpo(tmp_path):
    """A tiny Llama learns from answers of a scripted reader, then from the log score of its own."""
    pytest.importorskip("trl")
    from lm_world import build_tiny, changed, learning_curve, weights

    from econzoo.train.lm.grpo import GRPORecipe
    from econzoo.train.lm.grpo import train_grpo as grpo
    from econzoo.train.lm.sft import SFTRecipe
    from econzoo.train.lm.sft import train_sft as sft

    records = tmp_path / "r.jsonl"
    for item in ("TitForTat", "Defector"):
        RecordFile(records).append(econzoo.play("code_reading", ["static"], seed=0, item=item))
    tiny = build_tiny(tmp_path / "tiny", str(records), context=4096)
    taught = sft(
        SFTRecipe(
            [str(records)], model=f"hf:{tiny}", out=str(tmp_path / "s"), steps=2, batch_size=2, lr=1e-2, max_length=4096
        )
    )
    assert changed(weights(tiny), weights(taught))
    args = GRPORecipe(
        "code_reading", model=f"hf:{taught}", out=str(tmp_path / "g"), lr=1e-2, warmup=0, param=["item=Grudger"],
        steps=1, groups=1, group_size=4, max_new_tokens=24, max_length=4096, constrained=True, temperature=1.5,
    )  # fmt: skip
    header, row = learning_curve(grpo(args))
    assert 0.0 <= float(row[header.index("reward")]) <= 1.0
    record = econzoo.play("code_reading", [f"hf:{tmp_path / 'g'}?max_new_tokens=24"], item="Grudger")
    assert (record.status, record.errors) == ("finished", [0])


@pytest.mark.models
@pytest.mark.parametrize("algorithm", long_unless(lambda algorithm: algorithm == "sb3", ["sb3", "auto"]))
def test_an_rl_agent_reads_facts_of_the_tree(algorithm, tmp_path):
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    args = PPORecipe(
        "code_reading", timesteps=64, algorithm=algorithm, out=tmp_path, n_envs=2, n_steps=32, batch_size=64,
        eval_every=64, eval_episodes=2, progress=False,
    )  # fmt: skip
    assert args.algorithm == ("compiled" if algorithm == "auto" else algorithm)
    policy = train_ppo(args)
    record = econzoo.play("code_reading", [f"ppo:{policy}"], seed=3, items="held-out")
    assert (record.status, record.errors) == ("finished", [0])
    assert 0.0 <= record.turns[0].action["probability"] <= 1.0
