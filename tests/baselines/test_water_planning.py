"""The planner of the dry town: its auction against the rules, its plans against brute force, itself against others."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from survival_mornings import bid, morning, own, planner

import econzoo
from econzoo.baselines.survival.mpc import MAX_CONDITIONS, Plan, Rivals, auction, conditions, forecast
from econzoo.envs.core.contract import CHANCE, Move
from econzoo.envs.families.survival import DAYS, HEALTH, SURVIVAL
from econzoo.envs.games.water_allocation import rules

GAME = econzoo.game("water_allocation")


def served(bids: list[float], needs: list[int], supply: int) -> list[bool]:
    """Whom the rules serve: who is not dry in the evening."""
    residents = [(f"R{i}", units, 100.0) for i, units in enumerate(needs)]
    _, params = GAME.params(residents=residents, supply=(supply, supply))
    announced = rules.apply(params, rules.initial(params), (Move(CHANCE, (float(supply),)),))
    evening = rules.apply(params, announced, tuple([Move(0, (float(amount),)) for amount in bids]))
    return [days == 0 for days in evening.dry]


@given(
    rivals=st.lists(st.tuples(st.integers(1, 12), st.integers(0, 9)), min_size=1, max_size=6),
    need=st.integers(1, 12),
    supply=st.integers(0, 40),
)
@settings(max_examples=60)
def test_the_price_of_a_forecast_is_what_the_rules_ask(rivals, need, supply):
    rivals.sort(key=lambda rival: rival[0])
    needs, bids = ([rival[i] for rival in rivals] for i in (0, 1))
    nothing = np.zeros((1, len(needs)))
    town = Rivals(np.array(needs, float), nothing[0], nothing, nothing + 8.0, nothing)
    (price,), won = auction(np.array([bids], float), town, np.array([float(supply)]), float(need))
    assert won[0].tolist() == served(bids, needs, supply)
    if np.isfinite(price):
        assert served([*bids, price + 0.5], [*needs, need], supply)[-1]
        assert price == 0.0 or not served([*bids, price - 0.5], [*needs, need], supply)[-1]
    else:
        assert need > supply


def test_rivals_keep_their_habits_and_the_desperate_bid_all():
    habit = tuple(bid(day, seat, 25.0, 100.0, 1) for day in (2, 3, 4, 5, 6) for seat in (0, 1, 3, 4))
    given = {"balances": (200.0,) * 5, "day": 7, "supply": 10, "low": 10, "high": 10}
    usual = forecast(morning(**given), habit, 1, 2000, np.random.default_rng(0))[0]
    # Alex and Bob bid a quarter of 200; in one of six cases each anything up to 200. David and Eric need too much.
    assert np.mean(usual == 50.0) == pytest.approx((5 / 6) ** 2 + 2 * (5 / 6) * (1 / 6) * (1 / 4), abs=0.04)
    rng = np.random.default_rng(0)
    dying = forecast(morning(**given, dry=(2, 0, 0, 0, 0), healths=(3, 8, 8, 8, 8)), habit, 1, 50, rng)
    assert set(dying[0]) == {200.0}


def test_a_forecast_knows_that_who_died_bids_no_more():
    """Today's 5 units are enough for nobody, and all the others are on their last legs."""
    dying = morning(healths=(1, 1, 8, 1, 1), supply=5, low=10, high=10)
    costs = forecast(dying, (), 3, 20, np.random.default_rng(0))
    assert [set(day) for day in costs] == [{np.inf}, {0.0}, {0.0}]


def best_life(health, dry, balance, days, price, most, reward):
    """Payoff of the best of all 2^days plans where water costs the same every day."""
    if health <= 0:
        return 0.0
    if days == 0:
        return {SURVIVAL: 1.0, HEALTH: float(health), DAYS: 0.0}[reward]
    today = 1.0 if reward == DAYS else 0.0
    left = health - dry - 1
    value = today + best_life(left, dry + 1, balance + 20.0, days - 1, price, most, reward) if left > 0 else 0.0
    if balance >= price:
        bought = best_life(min(most, health + 2), 0, balance - price + 20.0, days - 1, price, most, reward)
        value = max(value, today + bought)
    return value


def test_where_the_price_is_known_a_plan_is_worth_what_brute_force_finds():
    for reward in (SURVIVAL, HEALTH, DAYS):
        for price in (0.0, 20.0, 40.0, 60.0, 80.0, 100.0):
            for health, dry in ((8, 0), (3, 1), (1, 0), (5, 2)):
                days, most = 9, 10
                known = conditions((health, dry), most, days)
                assert known.days == days, (health, dry, price, reward)
                plan = Plan(known, reward, 20.0, np.linspace(0.0, 39 * 20.0, 40), doubt=0.0)
                values = plan.final_values()
                for _ in range(days):
                    values = plan.previous_values(values, np.full(8, price))
                for place, balance in enumerate(plan.grid[:12]):
                    assert values[0, place] == pytest.approx(
                        best_life(health, dry, balance, days, price, most, reward)
                    ), health


def test_a_plan_weighs_chances():
    """One day to live: with 100 dollars and prices of 50 and 120, half a chance; the cheaper bid is as good."""
    plan = Plan(conditions((1, 0), 10, 1), SURVIVAL, 20.0, np.linspace(0.0, 200.0, 40), doubt=0.2)
    prices = np.array([50.0, 50.0, 120.0, 120.0])
    assert plan.first_bid(plan.final_values(), prices, 100.0, 1.0) == (51.0, pytest.approx(0.8 * 0.5))
    assert plan.first_bid(plan.final_values(), prices, 121.0, 1.0) == (121.0, pytest.approx(0.8))
    assert plan.first_bid(plan.final_values(), np.full(4, np.inf), 100.0, 1.0) == (0.0, 0.0)


def test_conditions_are_those_that_can_be_reached():
    for now, most, days, count in (((8, 0), 10, 1, 3), ((2, 0), 3, 2, 4), ((1, 0), 1, 5, 1)):
        assert len(conditions(now, most, days).health) == count, (now, most, days, count)


def test_where_health_is_plenty_a_plan_looks_less_far():
    far = conditions((500, 0), 1000, 100)
    assert 1 <= far.days < 100
    assert len(far.health) <= MAX_CONDITIONS


@given(health=st.integers(1, 10), dry=st.integers(0, 4), day=st.integers(1, 20))
@settings(max_examples=30, deadline=None)
def test_mpc_bids_nothing_it_does_not_have_whatever_its_condition(health, dry, day):
    mpc = planner("mpc")
    asked = mpc.planned_bid(morning(day=day, healths=own(2, health, (8,) * 5), dry=own(2, dry, (0,) * 5)), ())
    assert 0.0 <= asked <= 101.0


def test_mpc_needs_no_water_on_the_last_day_and_gives_all_to_live_through_it():
    assert planner("mpc").planned_bid(morning(day=20, balances=(300.0,) * 5), ()) == 0.0
    rich = {"balances": own(2, 130.0, (300.0,) * 5), "healths": own(2, 1, (1,) * 5)}
    assert (
        planner("mpc").planned_bid(morning(day=20, **rich), ()) == 130.0
    )  # everybody dies of thirst today: all bid all


@pytest.mark.slow
def test_mpc_outlives_simple_strategies_in_the_same_seats():
    """20 towns with residents drawn from simple strategies; one of them is replaced by each of three heroes in turn."""
    others = ("need-based", "reserve(3)", "shade(0.5)", "honest-share", "all-in", "mixed(0.5, 1)", "random")
    alive = dict.fromkeys(("mpc", "shade(0.5)", "random"), 0.0)
    for seed in range(20):
        cast = random.Random(seed).choices(others, k=5)
        for hero in alive:
            cast[seed % 5] = hero
            alive[hero] += econzoo.play("water_allocation", cast, seed=seed).payoffs[seed % 5] / 20
    assert alive["mpc"] >= alive["shade(0.5)"] + 0.2
    assert alive["mpc"] >= alive["random"] + 0.4
