"""Cheap talk learned from nothing: symbols get a meaning where it pays both, on compiled games and at the table."""

from __future__ import annotations

from typing import Any

import pytest

from econzoo.baselines import POLICY, player, read_metadata
from econzoo.evaluate.analyses.behaviour.talk import symbol_measures
from econzoo.evaluate.run import play_match, replay
from econzoo.train.rl.recipe import PPORecipe
from later import Later
from refusals import refuses

pytest.importorskip("numba")

ppo = Later("econzoo.train.rl.ppo")
pytestmark = [pytest.mark.models, pytest.mark.slow]

SMALL: dict[str, Any] = {
    "opponents": ["self"],
    "n_envs": 128,
    "n_steps": 16,
    "batch_size": 256,
    "lr": 3e-3,
    "entropy": 0.03,
    "entropy_end": 0.001,
    "net": [32],
    "memory": "none",
    "fourier": 0,
    "eval_episodes": 2,
    "eval_opponents": ["random"],
    "eval_every": 0,
    "checkpoint_every": 0,
    "progress": False,
}
TALK = {"messages": 2, "rounds": 4}


def trained(out, game="persuasion", settings='{"messages": 2, "rounds": 4}', **changes):
    return ppo.train_ppo(PPORecipe(game, out=out, settings=settings, **{**SMALL, **changes})).parent


def share_of_right(records):
    """How often a good product was bought, or a bad one not."""
    right = [
        (turn.action["kind"] == "buy") == (quality == 1.0)
        for record in records
        for turn, quality in zip([turn for turn in record.turns if turn.seat == 1], record.chance, strict=True)
    ]
    return sum(right) / len(right)


def test_common_interest_gives_symbols_a_meaning(tmp_path):
    """Both are paid for good products bought and bad ones not: the quality decides the symbol, the symbol the sale."""
    folder = trained(tmp_path, objective="0.5*efficiency + 0.5*fairness", timesteps=100_000)
    spec = f"ppo:{folder}"
    records = [play_match("persuasion", [spec, spec], seed, **TALK) for seed in range(8)]
    for record in records:
        said = [turn.action["message"] for turn in record.turns if turn.seat == 0]
        assert share_of_right([record]) == 1.0
        assert len(set(zip(said, record.chance, strict=True))) <= 2, "one symbol for each quality"
        assert replay(record) == []
    told = {row.measure: row.bits for row in symbol_measures(records)}
    assert told["signalling"] == 1.0
    assert told["influence"] > 0.9
    deaf = [play_match("persuasion", [spec, spec], seed, **TALK, channel="off") for seed in range(16)]
    assert share_of_right(deaf) < 0.75, "without the symbol the buyer knows nothing of the quality: half"


def test_a_policy_knows_its_symbols_and_plays_with_no_other_number_of_them(tmp_path):
    folder = trained(tmp_path, timesteps=2048)
    assert read_metadata(folder / POLICY)["features"][-2:] == [
        "last symbol of other seat 1: 1 if A, else 0",
        "last symbol of other seat 1: 1 if B, else 0",
    ]
    for others in [{"messages": 3}, {"messages": True}, {}]:
        with refuses(ValueError, "a number of features of"):
            play_match("persuasion", [f"ppo:{folder}", "random"], 1, **{"rounds": 4, **others})
    assert player(f"ppo:{folder}", "persuasion").only_game == "persuasion"


def test_seats_that_move_at_once_and_talk_in_private_train_too(tmp_path):
    for game, settings in [
        ("matrix", '{"messages": 3, "stage_game": "stag-hunt", "rounds": 4}'),
        ("double_auction", '{"messages": 3}'),
    ]:
        folder = trained(tmp_path / game, game, settings, timesteps=2048, grid=5)
        given = {"messages": 3, **({"stage_game": "stag-hunt", "rounds": 4} if game == "matrix" else {})}
        record = play_match(game, [f"ppo:{folder}?deterministic=0"] * 2, 1, **given)
        assert any("message" in turn.action for turn in record.turns), game
        assert replay(record) == [], game


def test_stable_baselines3_trains_on_environments_with_symbols(tmp_path):
    sb3 = {"algorithm": "sb3", "opponents": ["random"], "n_envs": 2, "batch_size": 32}
    folder = trained(tmp_path, timesteps=64, seats="0", **sb3)
    play_match("persuasion", [f"ppo:{folder}", "random"], 1, **TALK)


def test_settings_of_another_alphabet_and_exploitability_are_refused():
    common = {"settings": '{"messages": 2}', **SMALL}
    with refuses(ValueError, "eval_settings", "messages=2"):
        PPORecipe("persuasion", eval_settings="default", **common)
    with refuses(ValueError, "exploitability", "symbols"):
        PPORecipe("persuasion", exploitability=True, **common)
