"""What each scripted player of the guessing game chooses, by hand and in any match."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from watched import Watched

import econzoo
from econzoo.baselines import player
from econzoo.baselines.guess_average import PLAYERS, POOLS
from econzoo.envs.games.guess_average.rules import View
from econzoo.envs.games.guess_average.solution import level_k_choice
from econzoo.evaluate.run import replay
from exhaustive import examples
from refusals import refuses

STRATEGIES = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]} - {"random"})


def names(pool):
    return {spec.partition("(")[0] for spec in pool}


def number(spec: str, round: int = 1, seed: int = 0, **given: Any) -> float:
    """What a player chooses; the numbers go from 1 to 100 and the factor is 0.8 unless something else is given."""
    made = player(spec, "guess_average")
    made.seed = seed
    usual = {"round": round, "low": 1, "high": 100, "factor": 0.8, "mean": None, "target": None}
    return made.act(dict.fromkeys(View._fields, 0) | usual | given, {})["number"]


def test_sequences():
    for spec, numbers in [
        ("mono", [40, 35, 30, 25, 20, 15, 10, 5, 1, 1]),  # then 0 and -5, cut
        ("mono(40, 0)", [40] * 10),
        ("mono(100, 30)", [100, 70, 40, 10, 1, 1, 1, 1, 1, 1]),
        ("mono(10, 2.5)", [10, 8, 5, 3, 1, 1, 1, 1, 1, 1]),  # 7.5 and 2.5 are rounded upwards
        ("mono(1000, 1)", [100] * 10),
        ("nash", [1] * 10),
        ("fixed(33, 0)", [33] * 10),
    ]:
        assert [number(spec, round) for round in range(1, 11)] == numbers, (spec, numbers)


def test_levels_of_reasoning_are_powers_of_the_factor():
    for k in range(6):
        assert number(f"k-level({k}, 50)") == [50, 40, 32, 26, 20, 16][k], k  # 25.6, 20.48, 16.384
        nagel = [50, 33, 22, 15, 10, 7][k]  # 33.3, 22.2, 14.8, ...
        assert number(f"k-level({k}, 50)", factor=2 / 3) == nagel, k


def test_the_first_reference_is_the_middle_of_the_range():
    for market, k in product(({}, {"high": 1000}, {"low": 20, "high": 90, "factor": 0.5}), range(6)):
        _, params = econzoo.game("guess_average").params(**market)
        assert number(f"k-level({k})", **market) == level_k_choice(params, k), (market, k)


@given(k=st.integers(0, 1000), factor=st.floats(0.01, 0.99), first=st.floats(20.0, 90.0), later=st.booleans())
def test_a_level_is_that_of_the_theory_from_any_reference(k, factor, first, later):
    """The reference is the number without thought in the first round, and the mean of the round before later."""
    _, params = econzoo.game("guess_average").params(low=20, high=90, factor=factor)
    seen = {"low": 20, "high": 90, "factor": factor, "mean": first if later else None, "target": first * factor}
    spec = f"k-level({k})" if later else f"k-level({k}, {first!r})"
    assert number(spec, 2 if later else 1, **seen) == level_k_choice(params, k, first)


def test_the_reference_of_later_rounds_is_the_mean_before():
    assert number("k-level(1, 70)") == 56
    assert number("k-level(1, 70)", 2, mean=30.0, target=24.0) == 24
    assert number("k-level(2, 70)", 2, mean=30.0, target=24.0) == 19  # 19.2


def test_a_level_wins_against_the_level_below():
    for k in (0, 1, 2, 3):
        record = econzoo.play("guess_average", [f"k-level({k + 1})", *[f"k-level({k})"] * 4], rounds=1)
        assert record.payoffs == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_the_same_level_on_all_seats_comes_down_by_the_factor_and_nobody_wins():
    record = econzoo.play("guess_average", ["k-level(1)"] * 5, rounds=4, health=10)
    assert [turn.action["number"] for turn in record.turns[::5]] == [40, 32, 26, 21]
    assert record.payoffs == [0.0] * 5


def test_normal_draws_have_their_mean_and_deviation():
    for spec, told, mean, std in [
        ("fixed", {}, 40.0, 5.0),
        ("fixed(60, 2)", {"mean": 10.0, "target": 8.0}, 60.0, 2.0),
        ("last", {}, 40.0, 5.0),
        ("last(3, 50)", {}, 50.0, 3.0),
        ("last(3, 50)", {"mean": 25.0, "target": 20.0}, 20.0, 3.0),
    ]:
        drawn = [number(spec, seed=seed, **told) for seed in range(800)]
        assert np.mean(drawn) == pytest.approx(mean, abs=4 * std / 800**0.5), (spec, told)
        assert np.std(drawn) == pytest.approx(std, rel=0.15), (spec, told)
        assert len({number(spec, round, **told) for round in range(1, 11)}) > 2, spec  # a new draw every round


def test_monorand_draws_its_step_once():
    steps = set()
    for seed in range(100):
        numbers = [number("monorand(90, 4)", round, seed) for round in range(1, 11)]
        falls = {one - after for one, after in pairwise(numbers)}
        assert len(falls) == 1
        steps |= falls
    assert steps == {0, 1, 2, 3, 4}


@given(
    players=st.integers(2, 7),
    factor=st.floats(0.01, 0.99),
    low=st.integers(1, 500),
    more=st.integers(1, 1_000_000 - 500),
    rounds=st.integers(1, 8),
    health=st.integers(1, 8),
    seed=st.integers(0, 2**63 - 1),
    data=st.data(),
)
@examples(15)
def test_in_any_match_numbers_are_whole_and_within_bounds(players, factor, low, more, rounds, health, seed, data):
    cast = [data.draw(st.sampled_from(STRATEGIES)) for _ in range(players)]
    given = {"players": players, "factor": factor, "low": low, "high": low + more, "rounds": rounds, "health": health}
    watched = [Watched(spec, "guess_average") for spec in cast]
    record = econzoo.play("guess_average", watched, seed=seed, **given)
    assert record.status == "finished"
    assert not any(record.errors + record.defaults)
    assert replay(record) == []
    for _, answer in [turn for one in watched for turn in one.seen]:
        assert answer["number"] % 1 == 0
        assert low <= answer["number"] <= low + more
    again = econzoo.play("guess_average", cast, seed=seed, **given)
    assert [turn.action for turn in again.turns] == [turn.action for turn in record.turns]


def test_only_strategies_that_do_not_say_so_use_their_seed():
    for spec in STRATEGIES:
        chosen = {tuple([number(spec, round, seed) for round in (1, 2, 3)]) for seed in range(10)}
        assert (len(chosen) == 1) is player(spec, "guess_average").deterministic, spec


def test_the_standard_pool_has_one_of_every_strategy():
    assert names(POOLS["standard"]) == {*PLAYERS, "random"}


def test_nobody_of_the_validation_pool_is_met_in_training():
    assert not set(POOLS["validation"]) & set(POOLS["training"])
    assert names(POOLS["validation"]) - names(POOLS["training"]) == {"monorand", "nash"}


def test_every_strategy_cites_its_source():
    for name in PLAYERS:
        assert "Source:" in (PLAYERS[name].__doc__ or ""), name


def test_bad_arguments_are_refused_with_what_is_allowed():
    for spec, *named in [
        ("fixed(-1)", "mean=-1", "0 <= mean <= 1e+06"),
        ("fixed(40, -1)", "std=-1", "0 <= std <= 1e+06"),
        ("last(0.5, 'a')", "first='a'", "0 <= first <= 1e+06"),
        ("mono(40, True)", "step=True", "0 <= step <= 1e+06"),
        ("monorand(40, 2.5)", "step=2.5", "0 <= step"),
        ("k-level(1.5)", "k=1.5", "0 <= k <= 1000"),
        ("k-level(-1)", "k=-1", "0 <= k <= 1000"),
        ("nash(1)", "nash"),
    ]:
        with refuses(ValueError, spec, *named):
            player(spec, "guess_average")
