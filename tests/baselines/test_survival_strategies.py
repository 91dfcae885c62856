"""Scripted players of the survival auction: how they keep from bidding the same, and what they bid, by hand."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from watched import Watched

import econzoo
from econzoo.baselines import player
from econzoo.baselines.survival_auction import PLAYERS, POOLS
from econzoo.evaluate.run import replay
from exhaustive import examples

STRATEGIES = sorted({*POOLS["standard"], *POOLS["training"], *POOLS["validation"]} - {"random"})


def names(pool):
    return {spec.partition("(")[0] for spec in pool}


def days(record):
    """Bids of each day, by seat."""
    found: dict[int, dict[int, float]] = {}
    for turn in record.turns:
        found.setdefault(turn.round, {})[turn.seat] = turn.action["bid"]
    return [found[day] for day in sorted(found)]


def test_equals_have_their_turns():
    """All bid all they have: equal wishes, and the one who gives way by nothing wins; who has won is poorer."""
    first, second, third, fourth, *_ = days(econzoo.play("survival_auction", ["all-in"] * 5))
    assert first == {0: 99.99, 1: 99.98, 2: 99.97, 3: 99.96, 4: 100.0}
    assert second == {0: 199.98, 1: 199.97, 2: 199.96, 3: 200.0, 4: 99.99}
    assert third == {0: 299.97, 1: 299.96, 2: 300.0, 3: 99.99, 4: 199.98}
    assert fourth == {0: 399.96, 1: 400.0, 2: 99.99, 3: 199.98, 4: 299.97}


def test_wishes_of_the_first_days():
    """The line takes cents off: on day 1 seat 0 gives way by 1, on day 2 by 2. Seat 4 wins the first day."""
    for spec, wishes in [
        ("bid(80)", [80, 80]),
        ("shade(0.5)", [50, 100]),
        ("reserve(3)", [100, 125]),  # then (200 + 3 * 100) / 4
        ("need-based", [25, 67]),  # a quarter of 100; a third of 200, rounded up
        ("last-price+1", [1, 2]),
    ]:
        first, second = days(econzoo.play("survival_auction", [spec] * 5))[:2]
        assert [first[0], second[0]] == pytest.approx([wishes[0] - 0.01, wishes[1] - 0.02]), (spec, wishes)


def test_last_price_overbids_the_last_winner_whatever_the_line():
    for seat in range(5):
        cast = ["bid(50)"] * 5
        cast[seat] = "last-price+1"
        record = econzoo.play("survival_auction", cast, days=3)
        _, second, third = days(record)
        assert second[seat] > 50.0 == pytest.approx(max(second[i] for i in second if i != seat), abs=0.05)
        assert third[seat] > second[seat]


@given(
    players=st.integers(1, 8),
    salary=st.sampled_from([0.01, 0.37, 70.0, 100.0, 1e9]),
    length=st.integers(1, 12),
    seed=st.integers(0, 2**63 - 1),
    reward=st.sampled_from(["survival", "health", "days"]),
    health=st.integers(1, 20),
    data=st.data(),
)
@examples(15)
def test_in_any_match_bids_can_be_paid_and_no_two_are_the_same(players, salary, length, seed, reward, health, data):
    cast = [data.draw(st.sampled_from(STRATEGIES)) for _ in range(players)]
    given = {
        "players": players,
        "salary": salary,
        "days": length,
        "reward": reward,
        "start_health": health,
        "max_health": health + 2,
    }
    watched = [Watched(spec, "survival_auction") for spec in cast]
    record = econzoo.play("survival_auction", watched, seed=seed, **given)
    assert record.status == "finished"
    assert not any(record.errors + record.defaults)
    assert replay(record) == []
    for seen, answer in [turn for one in watched for turn in one.seen]:
        assert 0.0 <= answer["bid"] <= seen["balances"][seen["seat"]]
    for bids in days(record):
        repeated = [bid for bid, count in Counter(bids.values()).items() if count > 1]
        assert repeated in ([], [0.0])
    again = econzoo.play("survival_auction", cast, seed=seed, **given)
    assert [turn.action for turn in again.turns] == [turn.action for turn in record.turns]


def test_a_hundred_players_never_bid_the_same():
    record = econzoo.play("survival_auction", ["all-in"] * 100, players=100, days=4)
    assert all(len(set(bids.values())) == len(bids) for bids in days(record))


def test_who_is_alone_pays_nothing():
    for spec in STRATEGIES:
        record = econzoo.play("survival_auction", [spec], players=1, seed=3)
        assert record.payoffs == [1.0], spec
        assert {turn.action["bid"] for turn in record.turns} == {0.0}, spec


def test_only_strategies_that_do_not_say_so_use_their_seed():
    for spec in STRATEGIES:
        cast = [spec, "bid(90)", "shade(0.4)", "shade(0.6)", "reserve(2)"]
        played = {str(days(econzoo.play("survival_auction", cast, seed=seed))) for seed in range(4)}
        assert (len(played) == 1) or not player(spec, "survival_auction").deterministic, spec
        if spec.startswith("mixed"):
            assert len(played) == 4, spec


def test_the_standard_pool_has_one_of_every_strategy():
    assert names(POOLS["standard"]) == {*PLAYERS, "random"}


def test_nobody_of_the_validation_pool_is_met_in_training():
    assert not set(POOLS["validation"]) & set(POOLS["training"])
    assert names(POOLS["validation"]) - names(POOLS["training"]) == {"mpc", "last-price+1"}


def test_every_strategy_cites_its_source():
    for name in PLAYERS:
        assert "Source:" in (PLAYERS[name].__doc__ or ""), name
