"""Multi-issue bargaining is played: by a person at a terminal, by PPO, by SmolLM2, by scripts, and replayed."""

from __future__ import annotations

from pathlib import Path

import pytest

import econzoo
from econzoo.evaluate.run import replay
from people import Screens, lines
from refusals import says


def test_a_person_at_the_terminal() -> None:
    """Talks, asks for too much and is told so, offers, and accepts what `logroll` gives in the end."""
    typed = ("talk", "What do you like?", "o", "4", "0", "2", "1", "For me the hats.", "accept")
    person = Screens(lines(*typed))
    record = econzoo.play("multi_issue", [person.human(), "logroll"], seed=1)
    assert [turn.action["kind"] for turn in record.turns] == ["talk", "offer", "offer", "offer", "accept"]
    assert record.turns[2].action == {"kind": "offer", "keep": [0, 2, 1], "message": "For me the hats."}
    says(next(line for line in person.shown.splitlines() if line.startswith("4 ")), 4, 0, 3)
    assert record.payoffs == [6.0, 8.0]


def test_every_match_replays() -> None:
    for spec in ("spe", "fair", "greedy", "concede", "logroll", "tit-for-tat", "random"):
        for seat in (0, 1):
            players = [spec, "concede(3)"] if seat == 0 else ["concede(3)", spec]
            record = econzoo.play("multi_issue", players, seed=3, delta=0.9)
            assert replay(record) == [], spec


@pytest.mark.models
@pytest.mark.slow
def test_a_policy_is_trained_and_plays(tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    small = {"n_envs": 4, "n_steps": 32, "batch_size": 64, "epochs": 1, "net": [16], "timesteps": 128}
    small |= {"opponents": ["fair"], "eval_opponents": ["fair"]}
    args = PPORecipe("multi_issue", out=tmp_path, eval_every=0, eval_episodes=2, progress=False, **small)
    record = econzoo.play("multi_issue", [f"ppo:{train_ppo(args)}", "concede(3)"], seed=1)
    assert record.errors == [0, 0]
    assert len(record.turns) > 1


@pytest.mark.long
@pytest.mark.smollm2
def test_smollm2_plays() -> None:
    """Held to the forms of moves; without that it does not answer in JSON."""
    record = econzoo.play("multi_issue", ["hf:smollm2?max_new_tokens=48", "logroll"], seed=1, horizon=4)
    assert record.errors == [0, 0]
    assert {turn.seat for turn in record.turns} == {0, 1}
