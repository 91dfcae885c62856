"""The double auction played by a person, by a language model and by a learner."""

from __future__ import annotations

from pathlib import Path

import pytest

import econzoo
from econzoo.baselines.human import HumanPlayer
from econzoo.baselines.terminal import Terminal
from refusals import says


def test_a_person_talks_and_offers_at_the_terminal() -> None:
    """Who has one partner is not asked whom it talks to."""
    typed, shown = ["say", "30", "I can pay 30.", "55.5"], []

    def ask(prompt: str) -> str:
        shown.append(prompt)
        return typed.pop(0)

    person = HumanPlayer("human", terminal=Terminal(ask, shown.append))
    record = econzoo.play("double_auction", [person, "midpoint"], seed=7)
    assert [turn.action for turn in record.turns if turn.seat == 0] == [
        {"kind": "say", "whom": 1, "claim": 30.0, "message": "I can pay 30."},
        {"kind": "offer", "price": 55.5},
    ]
    assert (record.status, record.errors, typed) == ("finished", [0, 0], [])
    assert any("from 0 to 100" in line for line in shown)
    assert not any("whole number" in line for line in shown)
    says(shown[-1], f"{record.payoffs[0]:.2f}")


@pytest.mark.models
@pytest.mark.slow
def test_a_learner_is_trained_and_plays(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    small = {"n_envs": 4, "n_steps": 32, "batch_size": 64, "epochs": 1, "net": [16], "timesteps": 128}
    few = {"eval_every": 0, "eval_episodes": 2, "checkpoint_every": 0, "progress": False}
    policy = train_ppo(PPORecipe("double_auction", out=tmp_path, algorithm="sb3", grid=11, **small, **few))
    for players in ([f"ppo:{policy}", "midpoint"], ["zi", f"ppo:{policy}"]):
        record = econzoo.play("double_auction", players, seed=1)
        assert (record.status, record.errors) == ("finished", [0, 0])
        assert all(turn.action["price"] % 10 == 0 for turn in record.turns[2:] if players[turn.seat].startswith("ppo"))


@pytest.mark.long
@pytest.mark.smollm2
def test_smollm2_talks_and_offers() -> None:
    """Constrained, because without any training it does not answer in JSON."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    pytest.importorskip("gguf")
    record = econzoo.play("double_auction", ["hf:smollm2?max_new_tokens=60", "midpoint"], seed=1)
    assert (record.status, record.errors) == ("finished", [0, 0])
    assert [turn.round for turn in record.turns] == [1, 1, 2, 2]
