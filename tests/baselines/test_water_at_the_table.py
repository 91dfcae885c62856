"""Every scripted resident in every kind of town: it can pay what it bids, repeats itself, and cites its source."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from survival_mornings import bidder, morning, towns, wish_of
from watched import Watched

import econzoo
from econzoo.baselines import player
from econzoo.baselines.water_allocation import PLAYERS, POOLS
from econzoo.evaluate.run import replay
from exhaustive import examples
from refusals import refuses

STRATEGIES = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]} - {"random"})


def names(pool):
    return {spec.partition("(")[0] for spec in pool}


def test_the_standard_pool_has_one_of_every_strategy():
    assert names(POOLS["standard"]) == {*PLAYERS, "random"}


def test_nobody_of_the_validation_pool_is_met_in_training():
    assert not set(POOLS["validation"]) & set(POOLS["training"])
    assert names(POOLS["validation"]) - names(POOLS["training"]) >= {"mpc", "last-price+1", "honest-share"}


def test_every_strategy_cites_its_source():
    for name in PLAYERS:
        assert "Source:" in (PLAYERS[name].__doc__ or ""), name


@given(town=towns(), seed=st.integers(0, 2**63 - 1), data=st.data())
@examples(15)
def test_in_any_town_every_bid_can_be_paid_and_none_is_made_in_vain(town, seed, data):
    cast = [data.draw(st.sampled_from(STRATEGIES)) for _ in town["residents"]]
    watched = [Watched(spec, "water_allocation") for spec in cast]
    record = econzoo.play("water_allocation", watched, seed=seed, **town)
    assert record.status == "finished"
    assert not any(record.errors + record.defaults)
    assert replay(record) == []
    for seen, answer in [turn for one in watched for turn in one.seen]:
        assert 0.0 <= answer["bid"] <= seen["balances"][seen["seat"]]
        if seen["supply"] < seen["requirements"][seen["seat"]]:
            assert answer["bid"] == 0.0
    again = econzoo.play("water_allocation", cast, seed=seed, **town)
    assert [turn.action for turn in again.turns] == [turn.action for turn in record.turns]


def test_who_is_alone_pays_nothing():
    for spec in STRATEGIES:
        record = econzoo.play("water_allocation", [spec], residents=[("Alex", 8, 70.0)], seed=3)
        assert record.payoffs == [1.0], spec
        assert [turn.action["bid"] for turn in record.turns] == [0.0] * 20, spec


def test_a_town_with_enough_for_all_pays_nothing():
    for spec in STRATEGIES:
        record = econzoo.play("water_allocation", [spec] * 5, supply=(50, 60), seed=3)
        assert record.payoffs == [1.0] * 5, spec
        assert {turn.action["bid"] for turn in record.turns} == {0.0}, spec


def test_only_strategies_that_do_not_say_so_use_their_seed():
    for spec in STRATEGIES:
        told, bids = bidder(spec), set()
        wished = wish_of if told.script else lambda one, **given: one.planned_bid(morning(**given), ())
        for told.seed in range(5):
            bids.add(tuple([wished(told, day=day, balances=(300.0,) * 5) for day in (1, 7, 16)]))
        assert (len(bids) == 1) is told.deterministic, spec


def test_a_hundred_residents_are_no_harder():
    residents = [(f"R{i}", 8 + i % 5, 100.0) for i in range(100)]
    players = [*POOLS["standard"], *["shade(0.3)"] * (100 - len(POOLS["standard"]))]
    record = econzoo.play("water_allocation", players, residents=residents, days=2, seed=1)
    assert record.status == "finished"
    assert sum(record.errors + record.defaults) == 0


def test_bad_arguments_are_refused_with_what_is_allowed():
    for spec, *named in [
        ("bid(-1)", "amount=-1", "0 <= amount <= 1e+12"),
        ("shade(1.1)", "part=1.1", "0 <= part <= 1"),
        ("reserve(2.5)", "days=2.5", "0 <= days <= 10000"),
        ("mixed(0.6, 0.5)", "high=0.5", "0.6 <= high <= 1"),
        ("mpc(0)", "days=0", "1 <= days <= 100"),
        ("mpc(futures=1)", "futures=1", "8 <= futures <= 10000"),
        ("mpc(doubt=1)", "doubt=1", "0 <= doubt <= 0.9"),
        ("need-based(1)", "need-based"),
        ("last-price+2", "last-price+1"),
    ]:
        with refuses(ValueError, spec, *named):
            player(spec, "water_allocation")
