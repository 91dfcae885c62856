"""What GRPO plays by default: all seats, settings of the training, and nothing that it is measured by."""

from __future__ import annotations

import json

import pytest

from econzoo.baselines import pool
from econzoo.envs.core import game, games
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.record import identity
from econzoo.evaluate.analyses import setting_text
from econzoo.evaluate.run import settings_collection
from econzoo.train.lm.episode_specs import make_validation_specs
from econzoo.train.lm.grpo import GRPORecipe
from refusals import refuses

SHARED = ("code_reading",)
"""Games that have nobody for the validation but whom they train against."""


def settings_of(name, drawn):
    return {setting_text(name, one.params) for one in drawn}


def opponents_of(drawn):
    return {identity(spec) for one in drawn for spec in one.opponents}


@pytest.mark.slow
def test_nothing_of_the_validation_is_trained_on():
    """Neither a match nor a setting nor an opponent; the tickets in reserve count as trained on."""
    for name in games():
        args = GRPORecipe(name, steps=5, groups=8, max_resamples=2)
        trained, measured = args.episode_specs, make_validation_specs(name, 40, None, {}, (), args.settings)
        assert len(trained) == 120, name
        assert len(measured) == 40, name
        assert not {one.cell for one in trained} & {one.cell for one in measured}, name
        assert not settings_of(name, trained) & settings_of(name, measured), name
        if name not in SHARED:
            assert not opponents_of(trained) & opponents_of(measured), name


@pytest.mark.slow
def test_by_default_all_seats_learn_in_settings_of_the_training():
    for name in games():
        drawn = GRPORecipe(name, steps=10, groups=8).episode_specs
        assert {one.seat for one in drawn} == set(range(game(name).facts.seats)), name
        assert len(settings_of(name, drawn)) > 5, name
        if name not in SHARED:
            wanted = {identity(spec) for spec in pool(name, "training")}
            assert opponents_of(drawn) <= wanted, name
            assert len(opponents_of(drawn)) >= min(len(wanted), 4), name


def test_a_seat_whose_player_changes_is_left_out_where_it_does():
    """In some markets of persuasion somebody new buys in every round; in the others the buyer learns too."""
    assert {one.seat for one in GRPORecipe("persuasion", steps=20).episode_specs} == {0, 1}
    with refuses(ValueError, "persuasion", "seat=1"):
        print(GRPORecipe("persuasion", steps=20, seats=[1]).episode_specs)


def test_drawn_opponents_are_the_same_for_a_whole_group():
    drawn = GRPORecipe(opponents=["wide"], steps=5).episode_specs
    assert not any("~" in spec for one in drawn for spec in one.opponents)
    assert len(opponents_of(drawn)) > 20


def test_what_is_held_back_is_refused():
    for split in ["validation", "test"]:
        spec = pool("bargaining", split)[0]
        with refuses(ValueError, split):
            print(GRPORecipe(opponents=[spec], steps=1).episode_specs)
        params = {"complete_information": True, **to_plain(settings_collection(game("bargaining"), split)[0].params)}
        fixed = [f"{name}={json.dumps(value)}" for name, value in params.items()]
        with refuses(ValueError, split):
            print(GRPORecipe(param=fixed, steps=1).episode_specs)
