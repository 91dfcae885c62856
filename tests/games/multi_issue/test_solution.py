"""Frontier, bargaining solutions, equilibrium and best responses, by hand and by brute force."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.baselines.multi_issue import make_opponent
from econzoo.envs.core.contract import Move
from econzoo.envs.games.multi_issue import GAME, rules, solution
from econzoo.envs.games.multi_issue.best_response import best_response
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK, Params, State
from econzoo.envs.games.multi_issue.scenarios import HELD_OUT_POOLS, POOLS, beliefs, is_competitive, possible_values
from econzoo.envs.games.multi_issue.scenarios import value_pairs


def market(**public: Any) -> Params:
    return GAME.params(**public)[1]


small = st.integers(1, 2).flatmap(
    lambda kinds: st.builds(
        market,
        items=st.tuples(*[st.integers(1, 2)] * kinds),
        values=st.tuples(*[st.tuples(*[st.integers(0, 3)] * kinds).filter(any)] * 2),
        horizon=st.integers(2, 4),
        delta=st.sampled_from([1.0, 0.9, 0.5]),
    )
)
"""Markets in which every line of play can be looked at."""


def test_the_frontier_by_hand() -> None:
    """Hats go to Alice first, to whom they are worth three times what they are worth to Bob; then books and ball."""
    assert solution.frontier(market()) == ((10, 0), (9, 2), (8, 4), (7, 6), (6, 8), (3, 9), (0, 10))


POINTS = [
    # market, utilitarian, Nash, Kalai-Smorodinsky, egalitarian
    ({}, (6, 8), (6, 8), (6, 8), (6, 8)),
    # All is opposed: each gets the kind that it wants more, 2 * 4 points.
    ({"items": (2, 2), "values": ((4, 1), (1, 4))}, (8, 8), (8, 8), (8, 8), (8, 8)),
    # One kind, an odd number: the even division does not exist, and seat 0 has the better of two.
    ({"items": (5,), "values": ((2,), (2,))}, (6, 4), (6, 4), (6, 4), (6, 4)),
    # A point of Bob's is a tenth of his all, one of Alice's a hundredth: shares (50, 5) and (0.5, 0.5), points (10, 9).
    ({"items": (5, 5), "values": ((10, 10), (1, 1))}, (100, 0), (50, 5), (50, 5), (10, 9)),
    # Nash weighs 2 * 1 over 1 * 1; the most equal division is the same.
    ({"items": (1, 1), "values": ((2, 1), (1, 1))}, (2, 1), (2, 1), (2, 1), (2, 1)),
]


def test_points_on_the_frontier_by_hand() -> None:
    for public, utilitarian, nash, kalai_smorodinsky, egalitarian in POINTS:
        p = market(**public)
        assert (solution.utilitarian_point(p), solution.nash_point(p)) == (utilitarian, nash), public
        assert (solution.kalai_smorodinsky_point(p), solution.egalitarian_point(p)) == (
            kalai_smorodinsky,
            egalitarian,
        ), public


@given(small)
def test_points_by_brute_force(p: Params) -> None:
    """A pair of points is on the frontier if no division gives one seat more and none less."""
    every = {rules.division_points(p, first) for first in product(*[range(count + 1) for count in p.items])}
    better = {u for u in every if any(v != u and v[0] >= u[0] and v[1] >= u[1] for v in every)}
    assert set(solution.frontier(p)) == every - better
    assert sum(solution.utilitarian_point(p)) == max(map(sum, every))
    assert np.prod(solution.nash_point(p)) == max(map(np.prod, every))
    assert min(solution.egalitarian_point(p)) == max(map(min, every))


def test_the_equilibrium_by_hand() -> None:
    for public, payoffs in [
        # One offer, one answer: Alice asks for everything.
        ({"horizon": 2}, (10, 0)),
        # Turn 2 is Bob's offer, turn 3 Alice's answer: now Bob does.
        ({"horizon": 3}, (0, 10)),
        ({"horizon": 10}, (10, 0)),
        # What Alice does not want is Bob's all the same: who is indifferent does what is best for the other.
        ({"horizon": 2, "values": ((0, 5, 0), (2, 1, 2))}, (10, 8)),
        # Everything in turn 3 is worth 10 * 0.9 ** 2 = 8.1 to Bob. So are 9 points in turn 2: all but a hat.
        ({"horizon": 3, "delta": 0.9}, (2.7, 8.1)),
    ]:
        assert solution.equilibrium_payoffs(market(**public)) == pytest.approx(payoffs)


def moves(p: Params, s: State) -> list[Move]:
    """All that can be played, by the rules; what accepts first."""
    seat, none = rules.to_act(p, s), (0.0,) * len(p.items)
    legal = rules.legal(p, s, seat)
    offers = [Move(OFFER, tuple(map(float, keep))) for keep in product(*[range(n + 1) for n in p.items])]
    return [*[Move(kind, none) for kind in (ACCEPT, TALK, LEAVE) if legal[kind]], *(offers if legal[OFFER] else [])]


def backward(p: Params, s: State) -> tuple[float, float]:
    """Payoffs of the equilibrium, over the whole tree."""
    seat = rules.to_act(p, s)
    if seat < 0:
        return rules.payoffs(p, s)
    after = [backward(p, rules.apply(p, s, (move,))) for move in moves(p, s)]
    return max(after, key=lambda u: (round(u[seat], 9), round(u[1 - seat], 9)))


@given(small.filter(lambda p: p.horizon < 4))
def test_the_equilibrium_by_brute_force(p: Params) -> None:
    assert solution.equilibrium_payoffs(p) == pytest.approx(backward(p, rules.initial(p)))


def test_equilibrium_players_reach_the_equilibrium() -> None:
    for public in ({}, {"delta": 0.9}, {"delta": 0.7, "horizon": 7}):
        record = econzoo.play("multi_issue", ["spe", "spe"], seed=0, complete_information=True, **public)
        assert record.payoffs == pytest.approx(solution.equilibrium_payoffs(market(**public)))


def against(p: Params, s: State, seat: int, opponent: Any, history: tuple[Any, ...] = ()) -> float:
    """The most that a seat can get, by trying every line of play."""
    turn = rules.to_act(p, s)
    if turn < 0:
        return rules.payoffs(p, s)[seat]
    tried = moves(p, s) if turn == seat else [opponent(p, s, turn, history)]
    lines = [(rules.apply(p, s, (move,)), (*history, (turn, s.round, move))) for move in tried]
    return max(against(p, after, seat, opponent, past) for after, past in lines)


SPECS = ("spe", "fair", "greedy", "concede(0.5)", "concede(3)", "logroll", "tit-for-tat")


@given(small, st.sampled_from(SPECS), st.integers(0, 1))
def test_the_best_response_by_brute_force(p: Params, spec: str, seat: int) -> None:
    opponent = make_opponent(spec)
    found = best_response(p, seat, opponent, memory=opponent.memory)
    assert found.value == pytest.approx(against(p, rules.initial(p), seat, opponent))


def test_the_best_response_is_played() -> None:
    """Of the default market: against `fair` Alice gets the 7 points that leave Bob more than half."""
    p, opponent = market(), make_opponent("fair")
    found = best_response(p, 0, opponent, memory="round")
    assert found == (7.0, Move(OFFER, (0.0, 2.0, 1.0)))
    after = rules.apply(p, rules.initial(p), (found.move,))
    assert opponent(p, after, 1, ()).kind == ACCEPT


def test_who_does_not_know_the_other_can_expect_no_more() -> None:
    """One item of each kind; Bob wants hat or book, and takes half of his points or more in the last turn but one."""
    p, opponent = market(items=(1, 1), values=((2, 3), (4, 1)), horizon=2), make_opponent("fair")
    either = (((4, 1), 0.5), ((1, 4), 0.5))
    known = [best_response(p._replace(values=((2, 3), values)), 0, opponent).value for values, _ in either]
    # A fair Bob in his last turn accepts half of his 5 points or more: the kind that he wants.
    assert known == [3.0, 2.0]
    # Not knowing which, she can offer the book (3 if he wants it), the hat (2 if he does), or both (0 for sure).
    assert best_response(p, 0, opponent, either).value == 1.5
    assert best_response(p, 0, opponent, (either[0],)).value == 3.0 * 0.5


@given(st.sampled_from([(3, 2, 1), (1, 1, 3)]), st.integers(0, 10**6), st.sampled_from(["fair", "concede(2)"]))
def test_beliefs_are_worth_less_than_knowledge(items: tuple[int, ...], number: int, spec: str) -> None:
    pairs, opponent = value_pairs(items), make_opponent(spec)
    p = market(items=items, values=pairs[number % len(pairs)], horizon=3)
    prior = beliefs(items, p.values[0])
    informed = [best_response(p._replace(values=(p.values[0], v)), 0, opponent, memory="round").value for v, _ in prior]
    expected = best_response(p, 0, opponent, prior, memory="round").value
    assert expected <= sum(informed) / len(prior) + 1e-9


def test_markets_as_in_the_paper() -> None:
    """5 to 7 items of three kinds, 10 points to each, every kind worth something to somebody, some kind to both."""
    assert len(POOLS) == 6 + 10 + 15  # 4, 5 or 6 stars in three boxes that are not empty
    assert possible_values((3, 2, 1), 3) == ((0, 0, 3), (0, 1, 1), (1, 0, 0))
    assert is_competitive((1, 3, 1), (2, 1, 2))
    assert not is_competitive((0, 0, 10), (2, 2, 0))  # nothing that both want
    assert not is_competitive((0, 5, 0), (2, 2, 0))  # nobody wants the ball
    for seed in range(50):
        drawn = GAME.sample("lewis", np.random.default_rng(seed))
        p = market(**drawn)
        assert 5 <= sum(p.items) <= 7
        assert [rules.total_value(own, p.items) for own in p.values] == [10, 10]
        assert is_competitive(*p.values)
        assert GAME.sample("train", np.random.default_rng(seed))["items"] not in HELD_OUT_POOLS
