"""The rules of the survival auction: tables that a person can check by hand, and a second account of the same rules."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import DONE, SEVERAL, Move
from econzoo.envs.games.survival_auction import GAME, perspective, rules
from exhaustive import examples

NOBODY = None


def bids_of(*amounts: float) -> tuple[Move, ...]:
    return tuple([Move(0, (float(amount),)) for amount in amounts])


def started(**params: Any) -> Any:
    env = econzoo.make("survival_auction", face="structured", **params)
    env.reset(seed=0)
    return env


def bid(env: Any, *bids: float) -> None:
    """One day: bids of the living, in the order of seats."""
    for amount in bids:
        while env.terminations[env.agent_selection]:
            env.step(None)
        env.step({"bid": amount})


WINNERS = [
    # balances, bids: who gets the water
    ((100, 100, 100), (10, 30, 20), 1),
    ((100, 100, 100), (0, 0, 0.01), 2),
    ((100, 100, 100), (0, 0, 0), NOBODY),  # all bid nothing: a tie at the top
    ((100, 100, 100), (30, 30, 20), NOBODY),  # a tie at the top; the third is not tried
    ((100, 100, 100), (10, 10, 20), 2),  # a tie below the top does not matter
    ((100, 100, 100), (101, 50, 20), NOBODY),  # the highest cannot be paid; the second is not tried
    ((100, 100, 100), (100, 50, 20), 0),  # all one has
    ((100, 120, 100), (110, 110, 20), 1),  # a tie of one who can pay and one who cannot
    ((100, 120, 120), (110, 110, 110), NOBODY),  # two who can
    ((100, 100, 100), (110, 110, 20), NOBODY),  # two who cannot
    ((100, 100, 100), (1e12, 1e12, 1e12), NOBODY),
    ((100, 100, 100), (math.nextafter(100, 101), 0, 1), NOBODY),
    ((100, 100, 100), (50, math.nextafter(50, 51), 1), 1),  # the least that is more is more
    ((100,), (0,), 0),  # alone: a bid of nothing is the highest
    ((100,), (101,), NOBODY),
]


def test_who_gets_the_water() -> None:
    for balances, bids, winner in WINNERS:
        _, p = GAME.params(players=len(bids))
        s = rules.initial(p)._replace(balance=tuple(map(float, balances)))
        then = rules.apply(p, s, bids_of(*bids))
        for seat, balance in enumerate(balances):
            won = seat == winner
            assert then.balance[seat] == balance - (bids[seat] if won else 0) + 100, "the own bid, then the next salary"
            assert (then.health[seat], then.dry[seat]) == ((10, 0) if won else (7, 1)), (balances, bids, winner)


def test_dry_days_cost_one_two_three_and_water_starts_the_count_anew() -> None:
    env = started(players=2, days=8)
    for first in (0, 0, 1, 0, 0, 0, 1, 0):
        bid(env, first, 0.5)
    told = [(e.fact.won, e.fact.health, e.fact.no_water_days) for e in env.events if e.seat == 0]
    assert told == [(0, 7, 1), (0, 5, 2), (1, 7, 0), (0, 6, 1), (0, 4, 2), (0, 1, 3), (1, 3, 0), (0, 2, 1)]


def test_four_dry_days_are_death() -> None:
    """One day's water for five equals: those who never get any lose 1 + 2 + 3 + 4 of 8."""
    env = started()
    for _ in range(4):
        bid(env, 0, 1, 2, 3, 4)
    assert env.game_state.died == (4, 4, 4, 4, 0)
    assert env.game_state.health == (-2, -2, -2, -2, 10)
    assert env.game_state.balance == (400, 400, 400, 400, 400 - 16 + 100), (
        "the dead keep what they had, and earn no more"
    )
    for _ in range(6):
        assert not env.over
        bid(env, 0)
    assert env.over
    assert (env.game_state.round, env.payoffs) == (10, (0.0, 0.0, 0.0, 0.0, 1.0))


def test_the_game_ends_when_all_are_dead() -> None:
    env = started()
    for _ in range(4):
        bid(env, 7, 7, 7, 7, 7)
    assert env.over
    assert (env.game_state.round, env.game_state.died) == (4, (4,) * 5)
    assert all(env.terminations.values())


def test_dying_on_the_last_day_is_not_surviving() -> None:
    for days, payoff in ((4, 0.0), (3, 1.0)):
        env = started(days=days)
        for _ in range(days):
            bid(env, 7, 7, 7, 7, 7)
        assert env.payoffs == (payoff,) * 5


def test_what_payoffs_count() -> None:
    for reward, payoffs in (("survival", (0.0, 1.0)), ("health", (0.0, 10.0)), ("days", (3.0, 10.0))):
        env = started(players=2, reward=reward)
        for day in range(10):
            bid(env, *((1, 2) if day < 4 else (2,)))
        assert env.payoffs == payoffs, reward


def test_the_salary_comes_before_the_bid_and_the_result_before_the_salary() -> None:
    env = started(players=2)
    assert env.observe("player_0")["balances"] == (100.0, 100.0)
    bid(env, 100, 0)
    assert [event.fact.balance for event in env.events] == [0.0, 100.0]
    assert env.observe("player_0")["balances"] == (100.0, 200.0)


@settings(max_examples=60)
@given(amounts=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=10), salary=st.sampled_from([100.0, 33.3, 0.01]))
def test_balances_are_told_exactly(amounts: list[float], salary: float) -> None:
    """What is left is the difference of what there was and the bid, to a millionth of a dollar."""
    env = started(players=1, salary=salary)
    for share in amounts:
        if env.over:
            break
        had = env.game_state.balance[0]
        bid(env, share * had)
        assert env.events[-1].fact.balance == rules.round_money(had - share * had)
        assert env.events[-1].fact.balance == pytest.approx(had - share * had, abs=5.1e-7)


def to_a_millionth(dollars: float) -> float:
    """Accounts are kept to a millionth of a dollar, half of one upwards."""
    return math.floor(dollars * 10**6 + 0.5) / 10**6


@examples(40)
@given(
    players=st.integers(1, 6),
    days=st.integers(1, 9),
    health=st.integers(1, 9),
    room=st.integers(0, 3),
    salary=st.sampled_from([0.01, 1.0, 33.3, 100.0, 1e9]),
    data=st.data(),
)
def test_rules_by_the_book(players: int, days: int, health: int, room: int, salary: float, data: Any) -> None:
    """The description of the game once more, in other words; many bids tie, are all one has, or more than that."""
    _, p = GAME.params(players=players, days=days, start_health=health, max_health=health + room, salary=salary)
    s = rules.initial(p)
    people = [{"money": 0.0, "hp": health, "no_drink": 1, "gone": 0} for _ in range(players)]
    for day in range(1, days + 1):
        bidding = [i for i in range(players) if not people[i]["gone"]]
        if not bidding:
            break
        assert (rules.to_act(p, s), s.round) == (SEVERAL, day)
        for i in bidding:
            people[i]["money"] = to_a_millionth(people[i]["money"] + salary)
        share = st.sampled_from([0.0, 0.5, 1.0, 2.0])
        bids = {i: data.draw(share, label=f"bid {i}") * people[i]["money"] for i in bidding}
        highest = max(bids.values())
        payers = [i for i in bidding if bids[i] == highest and people[i]["money"] >= highest]
        lucky = payers[0] if len(payers) == 1 else None
        for i in bidding:
            one = people[i]
            if i == lucky:
                left = to_a_millionth(one["money"] - bids[i])
                one |= {"money": left, "hp": min(one["hp"] + 2, health + room), "no_drink": 1}
            else:
                one |= {"hp": one["hp"] - one["no_drink"], "no_drink": one["no_drink"] + 1}
            one["gone"] = 0 if one["hp"] > 0 else day
        s = rules.apply(p, s, bids_of(*[bids[i] if i in bidding else 0.0 for i in range(len(people))]))
        assert s.health == tuple(one["hp"] for one in people)
        assert s.dry == tuple(one["no_drink"] - 1 for one in people)
        assert s.died == tuple(one["gone"] for one in people)
        paid_again = 0.0 if rules.to_act(p, s) == DONE else salary
        mornings = [to_a_millionth(one["money"] + (0.0 if one["gone"] else paid_again)) for one in people]
        assert s.balance == tuple(mornings)
    assert rules.to_act(p, s) == DONE
    assert rules.payoffs(p, s) == tuple(float(not one["gone"]) for one in people)


def test_bids_go_to_twice_what_each_earns_in_all_days_unless_there_is_no_bound() -> None:
    for public, most in [({}, 2 * 100.0 * 10), ({"days": 3, "bound": 5.0}, 5 * 100.0 * 3), ({"bound": None}, 1e12)]:
        params = GAME.params(**public)[1]
        state = rules.initial(params)
        assert rules.bounds(params, state, 0) == ((0.0, most),), public
        assert perspective.options(rules.observe(params, state, 0))[1] == ((0.0, most),), public
