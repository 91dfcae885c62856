"""Training, validation and test: settings and opponents by name, in every game that has them."""

import json
from hashlib import sha256

import numpy as np

from econzoo.baselines import members, player, pool
from econzoo.envs.core import game, games
from econzoo.envs.core.contract import to_plain
from econzoo.envs.core.vector import can_compile
from econzoo.evaluate.run import find_settings
from refusals import refuses

FROZEN = {
    "bargaining": "54766370ff3701a7",
    "code_reading": "2c03595514a52665",
    "coin_game": "aa167b8bee8153c4",
    "double_auction": "b29d633340069649",
    "guess_average": "192f2e8edb4d1edc",
    "matrix": "3bf6a8ef6fe6588f",
    "multi_issue": "1e6484dac4b0ad7b",
    "negotiation": "563baed078200513",
    "persuasion": "9af00387de820c01",
    "program_coin": "888816f67e890193",
    "program_matrix": "1b53ca3ea815b39f",
    "public_goods": "0d4ae5f4bcf62cae",
    "survival_auction": "711ae27210f98e7e",
    "water_allocation": "43e409d2286d0d50",
}
"""Game to the hash of its test: who changes one of these, changes what all results of the test mean."""

WITHOUT_POOL = ("code_reading", "program_coin", "program_matrix")
"""Games with too few players to keep some for the test: one seat, or authors of which each is one of a kind."""


def settings(name, split):
    """The whole settings of a split, as the rules know them."""
    return [
        json.dumps(to_plain(game(name).params(**market.params)[0])) for market in find_settings(game(name), [split])
    ]


def opponents(name, split):
    return [] if name in WITHOUT_POOL else pool(name, split)


def test_every_game_has_a_test():
    assert set(FROZEN) == set(games())


def test_the_test_is_as_it_was_drawn():
    for name in sorted(games()):
        given = [to_plain(market.params) for market in find_settings(game(name), ["test"])]
        drawn = json.dumps([given, opponents(name, "test")])
        assert sha256(drawn.encode()).hexdigest()[:16] == FROZEN.get(name), name


def test_a_test_has_twelve_settings_and_eight_opponents():
    for name in sorted(set(games()) - {"code_reading"}):
        assert len(set(settings(name, "test"))) == 12, name
        assert len(set(opponents(name, "test"))) == (0 if name in WITHOUT_POOL else 8), name
        for spec in opponents(name, "test"):
            player(spec, name)


def test_nothing_of_the_test_is_met_before():
    for name in sorted(games()):
        test, validation = set(settings(name, "test")), set(settings(name, "validation"))
        rng = np.random.default_rng(0)
        train = {json.dumps(to_plain(game(name).params(**game(name).sample("train", rng))[0])) for _ in range(300)}
        assert not test & validation, name
        assert not (test | validation) & train, name
        drawn = {json.dumps(to_plain(game(name).params(**game(name).sample("test", rng))[0])) for _ in range(20)}
        assert drawn <= test, name
        before = {spec for split in ("standard", "training", "validation") for spec in opponents(name, split)}
        assert not before & set(opponents(name, "test")), name


def test_a_wide_pool_is_the_training_pool_and_players_that_are_drawn():
    for name in ("bargaining", "negotiation"):
        wide, training = members(name, ["wide"]), opponents(name, "training")
        more = wide[len(training) :]
        assert wide[: len(training)] == training, name
        assert all("~" in spec or spec == "random" for spec in more), name
        assert not {spec for split in ("validation", "test") for spec in opponents(name, split)} & set(wide), name
        assert all(can_compile(spec, name) for spec in wide), name


def test_pools_stand_among_opponents():
    assert members("matrix", ["training", "grim"]) == [*opponents("matrix", "training"), "grim"]


def test_a_game_that_keeps_nobody_for_a_test_says_so():
    with refuses(ValueError, "program_coin", "test", "standard", "training", "validation"):
        pool("program_coin", "test")


def test_the_old_name_is_answered_with_the_new_ones():
    for asked in [
        lambda: pool("bargaining", "held-out"),
        lambda: find_settings(game("bargaining"), ["held-out"]),
        lambda: game("bargaining").sample("held-out", np.random.default_rng(0)),
    ]:
        with refuses(ValueError, "'held-out'", "validation", "test"):
            asked()
