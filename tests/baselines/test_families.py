"""Opponents by family: whom a training and whom an evaluation meets where a family's name is given."""

from __future__ import annotations

import re
from typing import Any

from econzoo.baselines import HELD_OUT_FAMILIES, members, player, pool
from econzoo.baselines.factory import player_names
from econzoo.baselines.offers.generated import FAMILIES as GENERATED
from econzoo.baselines.pools import FAMILIES, TRAINERS, families
from econzoo.envs.core import games
from econzoo.envs.core.vector import can_compile, script_of
from econzoo.evaluate.suites import evaluation_design
from econzoo.train.rl.recipe import PPORecipe
from refusals import refuses

OFFERS = {"bargaining": {"late", "logit"}, "negotiation": {"late"}, "multi_issue": set()}
"""Games of offers, and families of theirs that are scripts alone."""

EVALUATED = {"negotiation": {"logit"}, "double_auction": {"equilibrium"}, "guess_average": {"equilibrium"}}
"""Families that evaluations alone meet."""

GAMES = [game for game in games() if families(game)]


def test_a_game_has_as_many_families_to_evaluate_with_as_to_train_against():
    for game in games():
        assert [*families(game), *EVALUATED.get(game, ())] == [*families(game, HELD_OUT_FAMILIES)], game
        assert not families(game) or len(families(game)) >= 3, game


def test_the_games_of_offers_have_all_families_of_the_grammar():
    for game, alone in OFFERS.items():
        assert set(families(game)) == {*GENERATED, "equilibrium", *alone}, game


def test_the_name_of_a_family_is_that_of_no_player_and_no_pool():
    for game in GAMES:
        assert not set(families(game, HELD_OUT_FAMILIES)) & {
            *player_names(game),
            *TRAINERS,
            "self",
            "past",
            "league",
        }, game


def test_no_training_by_families_meets_whom_an_evaluation_meets():
    for game in GAMES:
        for name in GENERATED if game in OFFERS else ():
            trained = " ".join(families(game)[name])
            assert re.findall(r"generated\((.*?)\)\)", trained) == [f"family='{name}', number~integers(0, 899999"], name
            assert families(game, HELD_OUT_FAMILIES)[name] == [
                f"generated('{name}', {900_000 + i})" for i in range(6)
            ], name
        for name, specs in families(game).items():
            unmet = {done_by(player(spec, game), game) for spec in families(game, HELD_OUT_FAMILIES)[name]}
            met = {done_by(one, game) for spec in specs for one in drawn(spec, game)}
            assert not met & unmet or not any("~" in spec for spec in specs), (game, name)


def drawn(spec: str, game: str) -> list[Any]:
    """Some players of a spec, or the only one."""
    one = player(spec, game)
    return [one.sample_player(seed) for seed in range(100)] if hasattr(one, "sample_player") else [one]


def done_by(one: Any, game: str) -> tuple[Any, ...]:
    """What a player does: the functions and numbers of its script."""
    script = script_of(one, game)
    assert script is not None
    return script.move, script.numbers, script.note


def test_whoever_is_met_in_training_compiles_and_whoever_is_met_afterwards_has_its_arguments():
    for game in GAMES:
        assert all(can_compile(spec, game) for spec in members(game, [FAMILIES])), game
        unmet = {spec: player(spec, game) for spec in members(game, [FAMILIES], HELD_OUT_FAMILIES)}
        assert not any(hasattr(one, "sample_player") for one in unmet.values()), game
        draw = {spec for spec, one in unmet.items() if game in OFFERS and not one.deterministic}
        assert draw == ({*families(game, HELD_OUT_FAMILIES).get("logit", ())} if game in OFFERS else set()), game


def test_nobody_of_the_test_is_met_by_a_training():
    for game in GAMES:
        assert not {*members(game, [FAMILIES]), *members(game, [FAMILIES], HELD_OUT_FAMILIES)} & set(
            pool(game, "test")
        ), game
        assert not set(members(game, [FAMILIES])) & set(pool(game, "validation")), game


def test_one_family_is_left_out_by_naming_the_others():
    for game in OFFERS:
        others = [name for name in families(game) if name != "mirror"]
        left = set(members(game, [FAMILIES])) - set(members(game, others))
        assert left == {"generated(family='mirror', number~integers(0, 899999))"}, game


def test_families_stand_among_specs_and_pools():
    found = members("bargaining", ["greedy(0.7)", "late", "training"])
    assert found == ["greedy(0.7)", *families("bargaining")["late"], *pool("bargaining", "training")]


def test_a_game_without_families_says_so():
    with refuses(ValueError, "opponent='families'", "program_matrix", "training"):
        members("program_matrix", [FAMILIES])


def test_a_family_that_takes_too_long_is_met_by_evaluations_alone():
    assert evaluation_design("negotiation", ["spe"], ["logit"], seeds=1).opponents[0] == "quantal(6.4)"
    with refuses(ValueError, "opponent='logit'", "held out for evaluation", "mirror"):
        PPORecipe("negotiation", opponents=["logit"])


def test_a_training_meets_families_and_is_measured_against_the_validation_pool_or_others_of_a_family():
    met = [*families("bargaining")["clock"], *families("bargaining")["grudge"]]
    recipe = PPORecipe("bargaining", opponents=["clock", "grudge"])
    assert (recipe.opponents, recipe.eval_opponents) == (met, pool("bargaining", "validation"))
    assert recipe.is_compiled
    measured = PPORecipe("bargaining", opponents=["clock", "grudge"], eval_opponents=["mirror"])
    assert measured.eval_opponents == families("bargaining", HELD_OUT_FAMILIES)["mirror"]
    mixed = PPORecipe("bargaining", opponents=["mirror", "fair"])
    assert mixed.eval_opponents == [*families("bargaining", HELD_OUT_FAMILIES)["mirror"], "fair"]


def test_a_training_against_all_families_is_compiled_in_every_game_that_has_some():
    for game in GAMES:
        assert PPORecipe(game, opponents=[FAMILIES]).is_compiled, game


def test_an_evaluation_meets_the_same_few_of_a_family():
    design = evaluation_design("negotiation", ["spe"], ["steps", "tough"], seeds=1)
    assert design.opponents == (*families("negotiation", HELD_OUT_FAMILIES)["steps"], "tough")


def test_an_evaluation_of_a_seller_meets_the_buyers_of_all_families():
    unmet = families("persuasion", HELD_OUT_FAMILIES)
    design = evaluation_design("persuasion", ["honest"], ["families"], seeds=1)
    assert design.opponents == (*unmet["bayesian"], *unmet["record"], *unmet["prior"])
    with refuses(ValueError, "committed", "honest"):
        evaluation_design("persuasion", ["honest"], ["committed"], seeds=1)
    with refuses(ValueError, "signal(0.2)", "no partner"):
        evaluation_design("persuasion", ["honest"], ["record", "signal(0.2)"], seeds=1)
