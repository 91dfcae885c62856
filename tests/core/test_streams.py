"""Random numbers: nobody who is compared has luck of their own, and nothing else shares any."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import derive_seed, hash_seed, setting_of, stream, streams, stretch_seed
from econzoo.envs.core.vector import GameBatch

SEEDS = 2000
CHANCE = 5 / np.sqrt(SEEDS)
"""Five standard deviations of the correlation of independent numbers."""


def setting(**params):
    game = econzoo.game("persuasion")
    return setting_of(game, game.params(**params)[0])


HERE, THERE = setting(), setting(price=20_000.0)

STREAMS = {
    "nature here": lambda seed: stream(HERE, seed, "nature"),
    "nature there": lambda seed: stream(THERE, seed, "nature"),
    "nature of the next seed": lambda seed: stream(HERE, seed + 1, "nature"),
    "words": lambda seed: stream(HERE, seed, "channel"),
    "seller": lambda seed: np.random.default_rng(derive_seed(HERE, seed, "player", 0)),
    "buyer": lambda seed: np.random.default_rng(derive_seed(HERE, seed, "player", 1)),
    "somebody new in round 2": lambda seed: np.random.default_rng(derive_seed(HERE, seed, "player", 1, 2)),
}
DRAWN = {name: np.array([made(seed).random() for seed in range(SEEDS)]) for name, made in STREAMS.items()}


def test_streams_tell_nothing_of_each_other():
    for one, other in list(combinations(STREAMS, 2)):
        assert abs(np.corrcoef(DRAWN[one], DRAWN[other])[0, 1]) < CHANCE, (one, other)


def test_a_stream_is_spread_evenly_over_seeds():
    """2,000 numbers from 0 to 1: mean 1/2, standard deviation of the mean 1 / sqrt(12 * 2000)."""
    for name in STREAMS:
        assert abs(DRAWN[name].mean() - 0.5) < 5 / np.sqrt(12 * SEEDS), name


def chance(players, seed=7, **params):
    return econzoo.play("persuasion", players, seed=seed, rounds=20, message_type="binary", **params).chance


def test_line_ups_meet_the_same_nature():
    pairs = [["honest", "trust"], ["random", "never"], ["random", "random"], ["always", "bayes"]]
    assert len({tuple(chance(pair)) for pair in pairs}) == 1


def test_settings_and_seeds_meet_their_own():
    drawn = {tuple(chance(["honest", "trust"], seed, price=price)) for seed in (1, 2) for price in (1e4, 2e4, 3e4)}
    assert len(drawn) == 6


def test_a_player_has_the_same_luck_whoever_else_plays():
    opponents = ["fair", "spe", "boulware(0.2)"]
    games = [econzoo.play("bargaining", ["random", other], seed=3) for other in opponents]
    assert len({game.turns[0].reply["gain"] for game in games}) == 1


def test_what_is_said_about_the_table_changes_no_luck():
    """The spec of a player, its seat mates and options of the environment are no part of the setting."""
    options = [{}, {"max_retries": 3}, {"metrics": "glee-code"}, {"max_message": 20}, {"channel": "off"}]
    assert len({tuple(chance(["honest", "trust"], **one)) for one in options}) == 1


def test_a_setting_is_its_parameters_however_they_are_written():
    game = econzoo.game("bargaining")
    public, _ = game.params(delta=(0.9, 0.8))
    listed = {name: list(value) if isinstance(value, tuple) else value for name, value in reversed(public.items())}
    assert setting_of(game, public) == setting_of(game, listed)
    assert setting_of(game, public) != setting_of(game, game.params()[0])


def test_the_numbers_of_version_1_stay_what_they_are():
    """Another number here is another version of `STREAMS`: old tournaments must not go on with it."""
    assert streams.STREAM_VERSION == 1
    assert HERE == "8ae6a33de34ed6f5f35beb90c5de4882"
    assert derive_seed(HERE, 0, "player", 1) == 7989919324250813279
    assert stretch_seed(1, "C", "D") == 382418892170270883
    assert hash_seed("a", 1) == 2066293315861612874


def test_environments_without_a_seed_go_on_from_the_last_one():
    env = econzoo.make("persuasion", rounds=30)

    def qualities(seed=None):
        env.reset(seed=seed)
        while env.agents:
            env.step(None if env.last()[2] else int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0]))
        return tuple(env.unwrapped.chance_draws)

    first, second, third = qualities(5), qualities(), qualities()
    assert len({first, second, third}) == 3
    assert (qualities(5), qualities()) == (first, second)


@pytest.mark.usefixtures("interpreted")
def test_batches_of_two_settings_share_no_luck():
    seen = [GameBatch("persuasion", 200, params, seed=1).observe(0) for params in ({}, {"price": 20_000.0})]
    again = GameBatch("persuasion", 200, {}, seed=1).observe(0)
    assert np.array_equal(seen[0], again)
    assert not np.array_equal(*seen)
