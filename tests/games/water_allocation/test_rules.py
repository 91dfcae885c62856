"""The rules of water allocation: tables that a person can check by hand, and a second account of the same rules."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, UNKNOWN, Move
from econzoo.envs.games.water_allocation import GAME, perspective, rules
from exhaustive import examples
from games.water_allocation.by_the_book import Town

PAPER = (8, 9, 10, 11, 12)
A, B, C, D, E = range(5)
RICH = (100.0,) * 5


def town(needs: Any = PAPER, money: Any = RICH, **more: Any) -> dict[str, Any]:
    """Public parameters of a town whose residents earn this much a day."""
    pairs = zip(needs, money, strict=True)
    return {"residents": [(f"No. {i}", need, salary) for i, (need, salary) in enumerate(pairs)], **more}


def started(supplies: Any, **params: Any) -> Any:
    env = econzoo.make("water_allocation", face="structured", **{"supply": (0, 1000), **params})
    env.reset(seed=0, options={"supply": list(supplies)})
    return env


def bid(env: Any, *bids: float) -> None:
    """One day: bids of the living, in the order of seats."""
    for amount in bids:
        while env.terminations[env.agent_selection]:
            env.step(None)
        env.step({"bid": amount})


def award_order(env: Any, day: int = 1) -> list[int]:
    """Seats that were served on a day, in order."""
    places = {event.fact.place: event.seat for event in env.events if event.round == day and event.fact.place}
    assert sorted(places) == list(range(1, len(places) + 1))
    return [places[place] for place in sorted(places)]


AWARDS = [
    # needs, money, supply, bids, served in this order
    (PAPER, RICH, 20, (10, 20, 30, 40, 50), [E, A]),  # 12, then 8 left: D, C and B are passed over, A fits exactly
    (PAPER, RICH, 19, (10, 20, 30, 40, 50), [E]),  # 7 left: nobody needs so little
    (PAPER, RICH, 21, (10, 20, 30, 40, 50), [E, B]),  # 9 left: B fits exactly, and comes before A
    (PAPER, RICH, 50, (10, 20, 30, 40, 50), [E, D, C, B, A]),  # enough for all
    (PAPER, RICH, 49, (10, 20, 30, 40, 50), [E, D, C, B]),  # one unit short
    (PAPER, RICH, 10, (50, 40, 30, 20, 10), [A]),
    (PAPER, RICH, 7, (50, 40, 30, 20, 10), []),  # nobody needs so little: a day without winner
    (PAPER, RICH, 0, (50, 40, 30, 20, 10), []),
    (PAPER, RICH, 10, (0, 0, 0, 90, 95), [A]),  # the two highest need more than there is; a bid of nothing wins
    # ties: the lower need first, then the lower seat
    (PAPER, RICH, 20, (50, 50, 50, 50, 50), [A, B]),
    (PAPER, RICH, 20, (0, 0, 0, 0, 0), [A, B]),
    (PAPER, RICH, 20, (10, 50, 20, 30, 50), [B, D]),  # B before E at 50; 11 left: E is passed over, D fits exactly
    (PAPER, RICH, 20, (50, 50, 50, 50, 50.01), [E, A]),  # a cent more is no tie
    ((3, 3, 3, 3, 3), RICH, 9, (7, 7, 7, 7, 7), [A, B, C]),
    ((5, 4, 3, 4, 5), RICH, 12, (7, 7, 7, 7, 7), [C, B, D]),
    ((12, 11, 10, 9, 8), RICH, 20, (50, 50, 50, 50, 50), [E, D]),  # by need, not by seat
    # void bids: above the balance
    (PAPER, RICH, 20, (10, 20, 30, 40, 101), [D, B]),  # 9 left: C is passed over, B fits
    (PAPER, RICH, 20, (10, 20, 30, 40, 100), [E, A]),  # all one has is not too much
    (PAPER, RICH, 20, (10, 20, 30, 40, math.nextafter(100, 101)), [D, B]),
    (PAPER, RICH, 50, (1e12, 1e12, 1e12, 1e12, 1e12), []),  # not cut down to the balance
    (PAPER, (0, 0, 0, 0, 0), 50, (0, 0, 0, 0, 1), [A, B, C, D]),
    (PAPER, (50, 49.99, 100, 100, 100), 17, (50, 50, 0, 0, 0), [A]),  # a tie of a bid that counts and a void one
    (PAPER, (49.99, 50, 100, 100, 100), 17, (50, 50, 0, 0, 0), [B]),  # 8 left, but A's bid is void
    (PAPER, RICH, 20, (33.3, 33.29, 33.31, 0.1, 0.2), [C, A]),  # fractions of a dollar count
]


def test_water_is_awarded_in_the_order_of_bids() -> None:
    for needs, money, supply, bids, served in AWARDS:
        env = started([supply], bound=None, **town(needs, money))
        bid(env, *bids)
        assert award_order(env) == served, (needs, money, bids)
        for event in env.events:
            won = event.seat in served
            assert event.fact.balance == money[event.seat] - (bids[event.seat] if won else 0), "first price, or nothing"
            assert event.fact.health == (10 if won else 7), (needs, money, bids)
            assert event.fact.no_water_days == (0 if won else 1), (needs, money, bids)
            assert event.fact.supply == supply, (needs, money, bids)
            assert event.action.bid == bids[event.seat], "also a void bid is told as it was made"


HEALTH = [
    # health, dry days before, served: health and dry days after, at most 10 points
    (8, 0, True, 10, 0),
    (9, 0, True, 10, 0),
    (10, 0, True, 10, 0),
    (1, 3, True, 3, 0),  # water ends the row
    (8, 0, False, 7, 1),
    (7, 1, False, 5, 2),
    (5, 2, False, 2, 3),
    (2, 3, False, -2, 4),  # four dry days from 8 points cost 1 + 2 + 3 + 4
    (1, 0, False, 0, 1),  # no points left is dead
    (2, 0, False, 1, 1),
    (10, 4, False, 5, 5),
]


def test_health_follows_from_water() -> None:
    for health, dry, served, after, dry_after in HEALTH:
        _, p = GAME.params(**town((1, 1), (5.0, 5.0)), supply=(0, 1))
        s = rules.initial(p)._replace(
            supply=1.0 if served else 0.0, balance=(5.0, 5.0), health=(health, 10), dry=(dry, 0)
        )
        then = rules.apply(p, s, (Move(0, (2.0,)), Move(0, (1.0,))))
        assert (then.health[0], then.dry[0]) == (after, dry_after), (health, dry, served)
        assert then.died[0] == (1 if after <= 0 else 0), (health, dry, served)


def test_health_has_a_limit() -> None:
    for most, health in ((10, 10), (9, 9), (8, 8), (100, 10)):
        env = started([8], **town((8,), (1.0,), max_health=most))
        bid(env, 0.0)
        assert env.events[-1].fact.health == health, most


def test_dry_days_cost_one_two_three_and_water_starts_the_count_anew() -> None:
    env = started([0, 0, 1, 0, 0, 0, 1], **town((1,), (1.0,), days=7))
    for _ in range(7):
        bid(env, 0.0)
    told = [(event.fact.health, event.fact.no_water_days) for event in env.events]
    assert told == [(7, 1), (5, 2), (7, 0), (6, 1), (4, 2), (1, 3), (3, 0)]


def test_the_salary_comes_before_the_bid() -> None:
    env = started([8, 8], **town((8,), (70.0,)))
    assert env.observe("player_0")["balances"] == (70.0,)
    bid(env, 70.0)
    assert env.events[0].fact == (8.0, 1, 0.0, 10, 0)
    assert env.observe("player_0")["balances"] == (70.0,), "the next day's salary is there"
    bid(env, 70.0)
    assert award_order(env, day=2) == [A]


def test_money_is_kept_from_day_to_day() -> None:
    env = started([0, 0, 9], **town((8, 9), (70.0, 75.0)))
    bid(env, 70, 75)
    bid(env, 140, 150)  # no water: nobody pays
    bid(env, 210, 225)
    assert [event.fact.balance for event in env.events] == [70, 75, 140, 150, 210, 0]


def test_death_takes_a_resident_out_and_leaves_the_money_where_it_was() -> None:
    env = started([9] * 6, **town((8, 9), (70.0, 75.0), days=6))
    for _ in range(4):
        bid(env, 0.0, 75.0)  # Bob is served every day
    assert env.game_state.died == (4, 0)
    assert env.events[-2].fact == (9.0, 0, 280.0, -2, 4), "health is not cut off at nothing, nor the balance"
    assert env.terminations["player_0"]
    bid(env, 10.0)
    assert env.agents == ["player_1"]
    assert env.game_state.balance[0] == 280.0, "no salary for the dead"
    assert env.game_state.health == (-2, 10)
    bid(env, 10.0)
    assert [event.seat for event in env.events[-2:]] == [B, B]
    assert env.payoffs == (0.0, 1.0)


def test_dying_on_the_last_day_is_not_surviving() -> None:
    for days, payoff in ((4, 0.0), (3, 1.0)):
        env = started([0] * days, **town((8,), (70.0,), days=days))
        for _ in range(days):
            bid(env, 0.0)
        assert env.over
        assert env.payoffs == (payoff,)
        assert env.outcome().agreed == bool(payoff)


def test_a_sole_survivor_goes_on_to_the_last_day() -> None:
    env = started([5] * 10, **town((5, 9, 9), (1.0, 9.0, 9.0), days=10))
    for _ in range(4):
        bid(env, 0, 9, 9)
    assert env.game_state.died == (0, 4, 4)
    for _ in range(6):
        assert not env.over
        bid(env, 0)
    assert env.over
    assert env.game_state.round == 10
    assert len(env.events) == 4 * 3 + 6


def test_the_game_ends_when_all_are_dead() -> None:
    env = started([0] * 4, **town(PAPER, RICH, days=20))
    for _ in range(4):
        bid(env, *RICH)
    assert env.over
    assert env.game_state.round == 4
    assert env.game_state.died == (4,) * 5
    assert env.payoffs == (0.0,) * 5
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


def test_what_payoffs_count() -> None:
    """A is served every day; B on days 1, 4 and 5; C never, and dies on day 4."""
    for reward, payoffs in (("survival", (1.0, 1.0, 0.0)), ("health", (10.0, 9.0, 0.0)), ("days", (6.0, 6.0, 3.0))):
        env = started([2, 1, 1, 2, 2, 1], **town((1, 1, 1), (9.0,) * 3, days=6, reward=reward))
        for day in range(1, 7):
            bid(env, *((3, 2, 1) if day <= 4 else (3, 2)))
        assert env.game_state.died == (0, 0, 4), reward
        assert [event.fact.health for event in env.events if event.seat == B] == [10, 9, 7, 9, 10, 9], reward
        assert env.payoffs == payoffs, reward


def test_the_supply_has_both_ends_and_every_value_is_as_likely() -> None:
    _, p = GAME.params(supply=(10, 20))
    assert [outcome for outcome, _ in rules.chance(p, rules.initial(p))] == [float(x) for x in range(10, 21)]
    assert {probability for _, probability in rules.chance(p, rules.initial(p))} == {1 / 11}
    env, drawn = econzoo.make("water_allocation"), Counter()
    for seed in range(2200):
        env.reset(seed=seed)
        drawn[env.game_state.supply] += 1
    assert sorted(drawn) == list(range(10, 21))
    # 200 expected of each, with a standard deviation of 13.5
    assert all(140 < times < 260 for times in drawn.values())


def test_the_supply_is_known_before_the_bid_and_not_before_the_day() -> None:
    _, p = GAME.params()
    s = rules.initial(p)
    assert rules.to_act(p, s) == CHANCE
    assert rules.observe(p, s, 0).supply == UNKNOWN
    assert rules.legal(p, s, 0) == (False,)
    s = rules.apply(p, s, (Move(CHANCE, (17.0,)),))
    assert rules.to_act(p, s) == SEVERAL
    assert {rules.observe(p, s, seat).supply for seat in range(5)} == {17.0}
    s = rules.apply(p, s, (Move(0, (1.0,)),) * 5)
    assert (rules.to_act(p, s), s.supply, s.round) == (CHANCE, UNKNOWN, 2)


# -- a second account of the rules -------------------------------------------------------------------------------------

MONEY = st.sampled_from([0.0, 1.0, 10.0, 33.3, 0.1]) | st.floats(0.0, 1e7)
RESIDENTS = st.lists(st.tuples(st.integers(1, 6), MONEY), min_size=1, max_size=7)
SHARES = st.sampled_from([0.0, 0.5, 1.0, 1.0000001, 7.0]) | st.floats(0.0, 1.2)
SAME = st.sampled_from([0.0, 1.0, 5.0, 5.5, 0.1 + 0.2, 0.3])


@examples(40)
@given(
    residents=RESIDENTS,
    days=st.integers(1, 9),
    health=st.integers(1, 9),
    room=st.integers(0, 3),
    data=st.data(),
)
def test_rules_by_the_book(residents: Any, days: int, health: int, room: int, data: Any) -> None:
    """Random towns, supplies and bids; many bids tie, are all one has, or more than that."""
    needs, salaries = zip(*residents, strict=True)
    most = sum(needs) + 1
    _, p = GAME.params(
        **town(needs, salaries), supply=(0, most), days=days, start_health=health, max_health=health + room
    )
    book, s = Town(needs, salaries, days, health, health + room), rules.initial(p)
    while not book.over():
        day = s.round
        assert (book.day, rules.to_act(p, s)) == (day, CHANCE)
        supply = data.draw(st.integers(0, most), label="supply")
        s = rules.apply(p, s, (Move(CHANCE, (float(supply),)),))
        book.morning()
        bids = {}
        for one in book.living():
            sealed = data.draw(SAME | SHARES.map(lambda share, one=one: share * one.money), label=f"bid {one.seat}")
            bids[one.seat] = sealed
            assert rules.legal(p, s, one.seat) == (True,)
        s = rules.apply(p, s, tuple([Move(0, (bids.get(seat, 0.0),)) for seat in range(len(s.died))]))
        served = book.evening(supply, bids)
        assert s.balance == tuple(one.money for one in book.residents)
        assert s.health == tuple(one.health for one in book.residents)
        assert s.dry == tuple(one.no_drink - 1 for one in book.residents)
        assert s.died == tuple(one.dead_since or 0 for one in book.residents)
        assert {seat for seat in bids if s.dry[seat] == 0} == set(served)
    assert rules.to_act(p, s) == DONE
    assert rules.payoffs(p, s) == tuple(float(one.dead_since is None) for one in book.residents)


@examples(20)
@given(
    residents=st.lists(st.tuples(st.integers(1, 6), st.integers(0, 10_000)), min_size=1, max_size=8),
    supply=st.integers(0, 30),
    shares=st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5]), min_size=8, max_size=8),
)
def test_the_award_order_is_by_bid_then_need_then_seat_and_nothing_that_fits_is_left(
    residents: Any, supply: int, shares: list[float]
) -> None:
    needs, cents = zip(*residents, strict=True)
    money = [amount / 100 for amount in cents]
    env = started([supply], **town(needs, money))
    bids = [share * balance for share, balance in zip(shares, money, strict=False)]
    bid(env, *bids)
    served = award_order(env)
    assert served == sorted(served, key=lambda seat: (-bids[seat], needs[seat], seat))
    used = sum(needs[seat] for seat in served)
    assert used <= supply
    for seat in range(len(needs)):
        if seat not in served and bids[seat] <= money[seat]:
            before = [i for i in served if (-bids[i], needs[i], i) < (-bids[seat], needs[seat], seat)]
            assert needs[seat] > supply - sum(needs[i] for i in before), "was passed over without need"


def test_bids_go_to_twice_the_largest_income_of_all_days_unless_there_is_no_bound() -> None:
    for public, most in [({}, 2 * 120.0 * 20), ({"days": 3, "bound": 5.0}, 5 * 120.0 * 3), ({"bound": None}, 1e12)]:
        params = GAME.params(**public)[1]
        for seat in range(5):
            assert rules.bounds(params, rules.initial(params), seat) == ((0.0, most),), (public, seat)
            view = rules.observe(params, rules.initial(params), seat)
            assert perspective.options(view)[1] == ((0.0, most),), (public, seat)
