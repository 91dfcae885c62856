"""Public goods played by a person at a terminal, by SmolLM2, and by a policy that was trained."""

from __future__ import annotations

import pytest

import econzoo
from econzoo.evaluate.run import play_match, replay
from games.facts import tells
from people import Screens, lines


def test_a_person_contributes_and_punishes_at_the_terminal() -> None:
    """Ann types 12 tokens and some words, more points than she can pay for, then fewer; in round 2 she keeps all."""
    typed = lines("12", "Hello.", *("7", "7", "0", ""), *("2", "1", "0", ""), "0", "", *("0", "0", "0", ""))
    screens = Screens(typed)
    record = play_match("public_goods", [screens.human(), "cooperator", "free-rider", "free-rider"], rounds=2)
    tells(screens.shown, "1 2 Ann 20.8 Ben 12.8 Cleo 32.8 Dan 32.8")
    own = [turn.action for turn in record.turns if turn.seat == 0]
    assert own == [
        {"kind": "contribute", "tokens": 12.0, "message": "Hello."},
        {"kind": "assign", "points": [2, 1, 0]},
        {"kind": "contribute", "tokens": 0.0},
        {"kind": "assign", "points": [0, 0, 0]},
    ]
    # 20.8 - 2 - 1 and 28; 12.8 less a fifth and 8; 32.8 less a tenth and 28; 32.8 and 28
    assert record.payoffs == pytest.approx([45.8, 18.24, 57.52, 60.8])
    assert replay(record) == []


@pytest.mark.models
@pytest.mark.parametrize("market", ["no-points", "default"])
@pytest.mark.slow
def test_a_policy_learns_and_plays(market: str, tmp_path) -> None:
    """A few updates; with points, every combination that can be paid for is one action."""
    pytest.importorskip("sb3_contrib")
    from econzoo.train.rl.ppo import train_ppo
    from econzoo.train.rl.recipe import PPORecipe

    train_ppo(
        PPORecipe("public_goods", out=tmp_path, timesteps=64, n_envs=2, n_steps=32, batch_size=32, epochs=1, net=[8],
                settings=market, algorithm="sb3", grid=6, eval_every=0, eval_episodes=2, checkpoint_every=0,
                progress=False)
    )  # fmt: skip
    params = {"punishment": market == "default", "rounds": 3}
    record = econzoo.play("public_goods", ["punisher", f"ppo:{tmp_path}", "antisocial", "hump-shaped"], **params)
    assert record.errors == [0] * 4
    assert replay(record) == []


@pytest.mark.long
@pytest.mark.smollm2
def test_smollm2_plays_a_round() -> None:
    players = ["hf:smollm2?temperature=0&max_new_tokens=48", "punisher", "conditional-cooperator", "antisocial"]
    record = econzoo.play("public_goods", players, rounds=1, messages=False)
    assert record.errors == [0] * 4
    assert [turn.action["kind"] for turn in record.turns if turn.seat == 0] == ["contribute", "assign"]
