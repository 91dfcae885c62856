"""What a training has met, and that neither its validation nor the test is among it."""

import json

import pytest

from econzoo.baselines import pool
from econzoo.envs.core import game, games
from econzoo.envs.core.contract import Objective
from econzoo.evaluate.analyses import TrainingExposure, read_exposure
from econzoo.evaluate.analyses.training_exposure import MATCH, NOTHING, OPPONENT, SETTING
from econzoo.evaluate.run import find_settings, new_design, play_all
from econzoo.train.lm.grpo import GRPORecipe
from econzoo.train.lm.transcripts import select
from econzoo.train.rl.files import training_exposure
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses

TRAINABLE = sorted(set(games()) - {"code_reading", "program_coin", "program_matrix"})
"""Games that `econzoo train ppo` takes as they are."""


@pytest.mark.slow
def test_no_match_of_validation_or_test_is_one_of_training():
    for split in ["validation", "test"]:
        for name in TRAINABLE:
            met = training_exposure(PPORecipe(name))
            settings = [market.params for market in find_settings(game(name), [split])]
            found = {
                met.classify_match(one, [spec], seat)
                for one in settings
                for spec in pool(name, split)
                for seat in (0, 1)
            }
            assert found == {NOTHING}, (split, name)


def test_a_match_is_met_if_setting_opponent_and_seat_are():
    met = TrainingExposure("bargaining", ["fair"], [0], [{"horizon": 3}], [], [7])
    assert met.classify_match({"horizon": 3, "money": 10_000.0}, ["fair"], 0) == MATCH, (
        "what is left out is the default"
    )
    assert met.classify_match({"horizon": 3}, ["fair"], 1) == OPPONENT
    assert met.classify_match({"horizon": 4}, ["fair"], 0) == OPPONENT
    assert met.classify_match({"horizon": 3}, ["spe"], 0) == SETTING
    assert met.classify_match({"horizon": 4}, ["spe"], 0) == NOTHING


def test_what_was_met_before_is_not_forgotten():
    first = TrainingExposure("bargaining", ["fair"], [0], [{"horizon": 3}], [], [7])
    second = TrainingExposure("bargaining", ["spe", "fair"], [1], [], ["train"], [8])
    assert second.merge(first) == TrainingExposure(
        "bargaining", ["fair", "spe"], [0, 1], [{"horizon": 3}], ["train"], [7, 8]
    )


def test_what_a_distribution_can_draw_is_met():
    met = training_exposure(PPORecipe("coin_game"))
    assert met.classify_match({"size": 3, "rounds": 10}, ["greedy"], 0) == MATCH
    assert met.classify_match({"size": 3, "rounds": 8}, ["greedy"], 0) == OPPONENT, (
        "8 rounds are kept for the validation"
    )


@pytest.mark.parametrize(
    "more", [{}, {"opponents": ["fair"]}, {"settings": ["train"], "seats": [0, 1]}, {"param": ["horizon=5"]}]
)
def test_a_model_is_validated_in_matches_that_it_is_not_trained_on(more):
    args = GRPORecipe(steps=4, groups=8, eval=64, **more)
    trained, validation = args.episode_specs, args.validation_specs
    assert len(validation) == 64
    assert len({one.cell for one in validation}) > 5, "not one match again and again"
    assert not {one.cell for one in validation} & {one.cell for one in trained}
    assert {spec for one in validation for spec in one.opponents} <= set(pool("bargaining", "validation"))


def test_the_best_play_is_kept_and_not_the_richest_setting():
    """In the rich market everybody earns more; of both markets the better half of the players is kept."""
    markets = [{"horizon": 3, "delta": (1.0, 1.0)}, {"horizon": 3, "delta": (0.5, 0.5)}]
    records = play_all(new_design("bargaining", ["greedy", "spe"], markets, 1, ["conceder(2)"]), jobs=1)
    kept = select(records, Objective("self_gain"), 0.5, seats=[0], players=["greedy", "spe"])
    assert sorted(one.record.params["delta"][0] for one in kept) == [0.5, 1.0]


def test_what_was_met_stands_beside_a_model(tmp_path):
    met = TrainingExposure("bargaining", ["fair"], [0], [{"horizon": 3}], [], [7])
    (tmp_path / "training.json").write_text(json.dumps({"format": 1, "training_exposure": met.plain()}))
    assert read_exposure(f"hf:{tmp_path}?temperature=0") == met
    assert read_exposure("fair") is None
    (tmp_path / "training.json").write_text(json.dumps({"format": 1, "training_exposure": {"games": 1}}))
    with refuses(ValueError, "game", "opponents"):
        read_exposure(f"hf:{tmp_path}")
    (tmp_path / "training.json").write_text(json.dumps({"training_exposure": met.plain()}))
    with refuses(ValueError, "training.json", "format None", "format 1"):
        read_exposure(f"hf:{tmp_path}")
