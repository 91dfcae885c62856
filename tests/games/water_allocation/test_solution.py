"""The best use of known supplies against brute force and the rules, and what is certain in special towns."""

import math
import sys
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.core.contract import CHANCE, Move
from econzoo.envs.families.survival import Town, best_allocation, survivable_dry_days
from econzoo.envs.families.survival.solution import most_survivors, price_of_anarchy
from econzoo.envs.families.survival.water_planning import simulate_survival
from econzoo.envs.families.survival.water_program import Groups, _largest_sets
from econzoo.envs.games.water_allocation import GAME, rules
from econzoo.envs.games.water_allocation.solution import advise, equilibrium_payoffs, has_no_rivalry
from econzoo.envs.games.water_allocation.solution import payoffs_without_rivals, payoffs_without_water, reference
from econzoo.envs.games.water_allocation.solution import town_of
from refusals import refuses, says

REWARDS = ("survival", "health", "days")


def town(**params):
    return GAME.params(**params)[1]


def people(*requirements):
    return [(f"R{i}", need, 100.0) for i, need in enumerate(requirements)]


def best_by_search(town):
    """The greatest sum of payoffs, by trying every set of living residents on every day."""

    def sets(day, alive):
        for size in range(len(alive) + 1):
            for chosen in combinations(alive, size):
                if sum(town.requirements[i] for i in chosen) <= town.supplies[day]:
                    yield chosen

    def search(day, state):
        if day == len(town.supplies):
            return sum({0: 1, 1: health, 2: day}[town.reward] for health, _ in state if health > 0)
        alive = [i for i, (health, _) in enumerate(state) if health > 0]
        best = 0
        for chosen in sets(day, alive):
            after, gone = [], 0
            for i, (health, without) in enumerate(state):
                if i not in alive:
                    after.append((health, without))
                elif i in chosen:
                    after.append((min(town.max_health, health + 2), 0))
                else:
                    after.append((health - without - 1, without + 1))
                    gone += day if health - without - 1 <= 0 and town.reward == 2 else 0
            best = max(best, gone + search(day + 1, after))
        return best

    return search(0, [(town.start_health, 0)] * len(town.requirements))


@settings(max_examples=40, deadline=None)
@given(
    requirements=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    supplies=st.lists(st.integers(0, 8), min_size=1, max_size=5),
    start=st.integers(1, 5),
    spare=st.integers(0, 3),
    reward=st.sampled_from((0, 1, 2)),
)
def test_the_best_allocation_is_that_of_brute_force(requirements, supplies, start, spare, reward):
    small = Town(tuple(requirements), tuple(supplies), start, start + spare, reward)
    found = best_allocation(small)
    assert found.proven
    assert found.welfare == best_by_search(small)
    assert simulate_survival(small, found.served) == (found.payoffs, found.lives)


def test_counting_units_finds_the_same_as_choosing_sets(monkeypatch):
    small = Town((2, 3, 3, 4), (5, 6, 4, 7, 3), 3, 5, 2)
    usual = best_allocation(small)
    monkeypatch.setattr("econzoo.envs.families.survival.water_program.MOST_SETS", 0)
    assert best_allocation(small).welfare == usual.welfare == best_by_search(small)


def test_the_largest_sets_by_hand():
    groups = Groups([2, 3], [[0, 1], [2]])
    assert set(_largest_sets(groups, 5)) == {(2, 0), (1, 1)}
    assert _largest_sets(groups, 1) == [(0, 0)]


def test_survivors_by_hand():
    for requirements, supplies, start, survivors in [
        ((1, 1), (1, 1, 1), 1, 1),  # with one health point every day counts
        ((1, 1), (2, 2, 2), 1, 2),
        ((3,), (2, 2, 2, 2), 8, 0),  # 8 - 1 - 2 - 3 - 4 < 0: four dry days kill
        ((3,), (2, 2, 2), 8, 1),  # three do not
        ((3,), (2, 2, 2, 3), 8, 1),
        ((5, 6), (10, 10, 10, 10), 2, 2),  # in turn: 2 -> 4 -> 3 -> 5, 2 -> 1 -> 3 -> 2
    ]:
        assert best_allocation(Town(requirements, supplies, start, 10, 0)).survivors == survivors


def bids_for(params, state, served):
    """Bids under which exactly these seats are served: nothing, or more than one has."""
    return tuple(
        Move(0, (0.0 if seat in served else state.balance[seat] + 1.0,))
        for seat in range(len(params.requirement))
        if state.died[seat] == 0
    )


def test_play_can_reach_the_best_allocation():
    for supply, reward in (((10, 20), "survival"), ((20, 30), "health")):
        params = town(supply=supply, reward=reward, days=7)
        supplies = [supply[0] + (7 * day) % (supply[1] - supply[0] + 1) for day in range(7)]
        best, state = best_allocation(town_of(params, supplies)), rules.initial(params)
        for day, units in enumerate(supplies):
            state = rules.apply(params, state, (Move(CHANCE, (float(units),)),))
            state = rules.apply(params, state, bids_for(params, state, best.served[day]))
        assert best.proven, (supply, reward)
        assert rules.payoffs(params, state) == best.payoffs, (supply, reward)
        assert price_of_anarchy(town_of(params, supplies), best.payoffs) == 1.0, (supply, reward)


def test_price_of_anarchy_by_hand():
    params = town(residents=people(1, 1), supply=(1, 1), days=3, start_health=1)
    assert price_of_anarchy(town_of(params, [1, 1, 1]), (1.0, 0.0)) == 1.0
    assert price_of_anarchy(town_of(params, [1, 1, 1]), (0.0, 0.0)) == math.inf
    dead = town(residents=people(2), supply=(1, 1), days=3, start_health=1)
    assert math.isnan(price_of_anarchy(town_of(dead, [1, 1, 1]), (0.0,)))
    days = town(residents=people(1, 1), supply=(1, 1), days=3, start_health=1, reward="days")
    assert price_of_anarchy(town_of(days, [1, 1, 1]), (1.0, 1.0)) == 1.5


def test_a_town_of_fifty_is_answered_with_a_bound():
    params = town(residents=people(*(8 + seat % 5 for seat in range(50))), supply=(150, 150), days=6)
    found = most_survivors(town_of(params, [150] * 6), time_limit=2.0)
    assert found.survivors <= found.bound <= 50
    assert found.proven == (found.welfare == found.bound)


# What is certain


def test_where_there_is_no_rivalry():
    for requirements, supply, rivals in [
        ((8,), (0, 20), False),  # one resident
        ((8, 9, 10), (27, 40), False),  # enough for all
        ((8, 9, 10), (26, 40), True),
        ((8, 30, 40), (5, 20), False),  # two of three can never be served
        ((2, 5), (1, 4), False),
        ((2, 5), (1, 6), True),  # 5 or 6 units are enough for one of them
        ((2, 5), (7, 9), False),
        ((4, 4), (4, 4), True),
    ]:
        params = town(residents=people(*requirements), supply=supply)
        assert has_no_rivalry(params) is not rivals, (requirements, supply)
        by_hand = all(
            sum(need for need in requirements if need <= units) <= units for units in range(supply[0], supply[1] + 1)
        )
        assert by_hand is not rivals, (requirements, supply)


def test_enough_for_everybody_all_live():
    params = town(supply=(50, 60))
    assert equilibrium_payoffs(params) == (1.0,) * 5
    assert equilibrium_payoffs(town(supply=(50, 60), reward="health")) == (10.0,) * 5
    assert equilibrium_payoffs(town(supply=(50, 60), reward="days")) == (20.0,) * 5


def expected_by_search(params, seat):
    """Mean payoff over all sequences of supplies of a resident who bids nothing, by the rules."""
    total, sequences = 0.0, list(product(range(params.low, params.high + 1), repeat=params.days))
    for supplies in sequences:
        state = rules.initial(params)
        for units in supplies:
            if rules.to_act(params, state) != CHANCE:
                break
            state = rules.apply(params, state, (Move(CHANCE, (float(units),)),))
            state = rules.apply(params, state, tuple(Move(0, (0.0,)) for _ in state.died))
        total += rules.payoffs(params, state)[seat]
    return total / len(sequences)


def test_one_resident_in_expectation_over_all_supplies():
    for reward in REWARDS:
        params = town(residents=people(3), supply=(1, 4), days=4, start_health=2, max_health=4, reward=reward)
        assert equilibrium_payoffs(params) == pytest.approx((expected_by_search(params, 0),)), reward


def test_two_residents_without_rivalry():
    for reward in REWARDS:
        params = town(residents=people(2, 9), supply=(1, 4), days=4, start_health=3, max_health=4, reward=reward)
        assert equilibrium_payoffs(params) == pytest.approx([expected_by_search(params, seat) for seat in range(2)]), (
            reward
        )


def test_the_papers_town_has_no_known_equilibrium():
    params = town()
    assert all(map(math.isnan, equilibrium_payoffs(params)))
    assert set(reference(params)) == {"alone", "never served"}
    assert payoffs_without_water(params) == (0.0,) * 5
    assert payoffs_without_rivals(params)[0] == pytest.approx(1.0)  # 8 units are always there
    assert 0.5 < payoffs_without_rivals(params)[4] < payoffs_without_rivals(params)[3] < 1.0


def test_a_short_game_kills_nobody():
    assert equilibrium_payoffs(town(days=3)) == (1.0,) * 5
    assert equilibrium_payoffs(town(days=3, reward="days")) == (3.0,) * 5
    assert all(map(math.isnan, equilibrium_payoffs(town(days=3, reward="health"))))


def test_days_that_one_survives_without_water():
    for health, before, days in ((8, 0, 3), (10, 0, 3), (11, 0, 4), (1, 0, 0), (2, 0, 1), (8, 2, 2), (3, 3, 0)):
        assert survivable_dry_days(health, before) == days


def test_bad_supplies_are_named():
    for supplies in [[], [9], [10.5], [10] * 21, "10", None, [True], [float("nan")]]:
        with refuses(ValueError, "supplies", 1, 20, 10):
            town_of(town(), supplies)


def test_without_scipy_the_message_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with refuses(ImportError, "econzoo[evaluate"):
        most_survivors(town_of(town(), [12]))


def test_too_much_or_for_the_dead_is_refused():
    small = Town((2, 2), (2, 2), 1, 5, 0)
    with refuses(ValueError, "day 1"):
        simulate_survival(small, [(0, 1), ()])
    with refuses(ValueError, "day 2"):
        simulate_survival(small, [(0,), (1,)])


def test_advice_from_the_view():
    params = town()
    scarce = rules.observe(params, rules.apply(params, rules.initial(params), (Move(CHANCE, (11.0,)),)), 4)
    assert "3" in advise(scarce).values()  # days without water
    assert any("$120" in one for one in advise(scarce._replace(seat=0)).values())
    enough = scarce._replace(supply=50.0)
    for view in (enough, enough._replace(died=(1, 1, 1, 1, 0), supply=12.0)):
        says(advise(view)["advice"], 0)
        assert advise(view)["advice"] != advise(scarce)["advice"]
