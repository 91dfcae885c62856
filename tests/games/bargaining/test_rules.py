"""The rules of bargaining: whose turn, what is legal, what a deal is worth, and when there is none."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import DONE, UNKNOWN, Move
from econzoo.envs.games.bargaining import GAME, rules
from econzoo.envs.games.bargaining.rules import ACCEPT, NO_OFFER, OFFER, REJECT, Params, State
from games.parameters import refuses_each
from refusals import refuses

ALICE, BOB = 0, 1


def market(**public: Any) -> Params:
    return GAME.params(**public)[1]


def ask(dollars: float) -> Move:
    return Move(OFFER, (dollars,))


YES, NO = Move(ACCEPT, (0.0,)), Move(REJECT, (0.0,))


def after(p: Params, *moves: Move) -> State:
    s = rules.initial(p)
    for move in moves:
        assert rules.legal(p, s, rules.to_act(p, s))[move.kind], f"{move} in {s}"
        s = rules.apply(p, s, (move,))
    return s


# Turns


def test_nothing_lies_on_the_table_at_first() -> None:
    assert rules.initial(market()) == State(1, False, (NO_OFFER, NO_OFFER), False, False)


def test_who_moves_when() -> None:
    for moves, round, turn in [
        ([], 1, ALICE),  # Alice proposes in round 1
        ([ask(60)], 1, BOB),  # and Bob answers
        ([ask(60), NO], 2, BOB),  # then they change roles
        ([ask(60), NO, ask(70)], 2, ALICE),
        ([ask(60), NO, ask(70), NO], 3, ALICE),
        ([ask(60), NO, ask(70), NO, ask(50), NO], 4, BOB),
        ([ask(60), YES], 1, DONE),
        ([ask(60), NO, ask(70), YES], 2, DONE),
    ]:
        p = market(money=100)
        s = after(p, *moves)
        assert (s.round, rules.to_act(p, s)) == (round, turn), moves


def test_what_is_legal() -> None:
    for moves, alice, bob in [
        ([], (True, False, False), (False, False, False)),
        ([ask(60)], (False, False, False), (False, True, True)),
        ([ask(60), NO], (False, False, False), (True, False, False)),
        ([ask(60), YES], (False, False, False), (False, False, False)),
    ]:
        p = market(money=100)
        s = after(p, *moves)
        assert (rules.legal(p, s, ALICE), rules.legal(p, s, BOB)) == (alice, bob), moves


def test_an_offer_divides_no_more_than_there_is() -> None:
    p = market(money=100)
    assert rules.bounds(p, rules.initial(p), ALICE) == ((0.0, 100.0),)
    assert rules.offer_value(p, after(p, ask(60)), ALICE) == 60.0
    assert rules.offer_value(p, after(p, ask(60)), BOB) == 40.0
    assert rules.offer_value(p, after(p, ask(60), NO, ask(70)), BOB) == 70.0
    assert rules.offer_value(p, after(p, ask(60), NO, ask(70)), ALICE) == 30.0


# What a deal is worth: delta ** (t - 1) times the share agreed in round t


def test_payoffs() -> None:
    for delta, moves, payoffs in [
        ((0.9, 0.8), [ask(60), YES], (60, 40)),  # round 1: nothing is lost
        ((0.9, 0.8), [ask(60), NO, ask(70), YES], (27, 56)),  # 0.9 * 30 and 0.8 * 70
        ((0.9, 0.8), [ask(60), NO, ask(70), NO, ask(50), YES], (40.5, 32)),  # 0.81 * 50 and 0.64 * 50
        ((1.0, 0.5), [ask(60), NO, ask(70), NO, ask(80), YES], (80, 5)),  # patience costs nothing: 80, 0.25 * 20
        ((0.9, 0.8), [ask(100), YES], (100, 0)),
        ((0.9, 0.8), [ask(0), YES], (0, 100)),
        ((0.9, 0.8), [ask(60)], (0, 0)),  # nobody has anything while they talk
        ((0.9, 0.8), [ask(60), NO], (0, 0)),
    ]:
        p = market(money=100, delta=delta, horizon=12)
        assert rules.payoffs(p, after(p, *moves)) == pytest.approx(payoffs), delta


# The horizon


def test_after_the_last_rejection_both_get_nothing() -> None:
    for horizon in (1, 2, 3, 12):
        p = market(money=100, horizon=horizon)
        s = after(p, *[ask(50), NO] * (horizon - 1), ask(50))
        assert not s.over, horizon
        assert rules.payoffs(p, rules.apply(p, s, (YES,))) == pytest.approx([50 * 0.9 ** (horizon - 1)] * 2)
        s = rules.apply(p, s, (NO,))
        assert (s.round, s.agreed, s.over, rules.to_act(p, s)) == (horizon, False, True, DONE)
        assert rules.payoffs(p, s) == (0.0, 0.0), horizon


def test_the_default_market() -> None:
    assert GAME.params()[0] == {
        "money": 10_000.0,
        "delta": (0.9, 0.9),
        "horizon": 12,
        "max_rounds": 99,
        "complete_information": True,
        "messages": True,
    }


# What each knows


def test_what_the_one_who_answers_sees() -> None:
    p = market(money=100, delta=(0.9, 0.8), horizon=5)
    view = rules.observe(p, after(p, ask(60)), BOB)
    assert view == rules.View(
        seat=BOB,
        round=1,
        horizon=5,
        money=100.0,
        own_delta=0.8,
        other_delta=0.9,
        proposing=0,
        offered=40.0,
        own_ask=UNKNOWN,
        other_ask=60.0,
        over=0,
        agreed=0,
        own_gain=UNKNOWN,
        own_payoff=UNKNOWN,
    )


def test_each_sees_its_own_result_only() -> None:
    p = market(money=100, delta=(0.9, 0.8), horizon=5)
    s = after(p, ask(60), NO, ask(70), YES)
    assert [rules.observe(p, s, seat).own_gain for seat in (ALICE, BOB)] == [30.0, 70.0]
    assert [rules.observe(p, s, seat).own_payoff for seat in (ALICE, BOB)] == pytest.approx([27.0, 56.0])


def test_features_of_a_position_by_hand() -> None:
    p = market(money=100, delta=(0.9, 0.8), horizon=4)
    s = after(p, ask(60), NO, ask(70))
    told = dict(zip(rules.FEATURES, rules.features(rules.observe(p, s, ALICE)), strict=True))
    assert list(told.values()) == pytest.approx(
        [
            0,  # seat
            0,  # Bob proposes in round 2
            0.5,  # 1 - 1/2
            0.25,  # 1/4
            0.5,  # round 2 of 4
            0.9,
            0.8,
            0.9,  # 0.9 ** 1
            0.8,
            0.3,  # Bob leaves 30 of 100
            0.6,
            0.7,
            1 / 3,  # rounds 2, 3 and 4 are left
            0,  # Bob proposes in round 4
        ]
    )


# Any play at all

MOVES = st.lists(st.tuples(st.sampled_from(["accept", "reject"]), st.floats(0, 1)), min_size=1, max_size=20)
DELTA = st.floats(0, 1, exclude_min=True)


@given(money=st.floats(0.01, 1e12), delta=st.tuples(DELTA, DELTA), horizon=st.integers(1, 15), play=MOVES)
def test_payoffs_are_feasible_and_scaled_by_delay(
    money: float, delta: tuple[float, float], horizon: int, play: list[tuple[str, float]]
) -> None:
    p = market(money=money, delta=delta, horizon=horizon)
    s, offers = rules.initial(p), 0
    for answer, share in play:
        if s.over:
            break
        s = rules.apply(p, s, (ask(min(share * money, money)),))
        offers += 1
        assert s.round == offers, "one offer a round"
        s = rules.apply(p, s, (YES if answer == "accept" else NO,))
    payoffs = rules.payoffs(p, s)
    assert all(0 <= x <= money for x in payoffs)
    assert sum(payoffs) <= money * (1 + 1e-15)
    assert offers <= horizon
    if s.agreed:
        shares = [rules.offer_value(p, s, seat) for seat in (ALICE, BOB)]
        assert sum(shares) == pytest.approx(money, rel=1e-12)
        for seat in (ALICE, BOB):
            assert payoffs[seat] == pytest.approx(shares[seat] * delta[seat] ** (offers - 1))
    else:
        assert payoffs == (0.0, 0.0)


@given(delta=st.tuples(DELTA, DELTA), horizon=st.integers(1, 300), play=MOVES, known=st.booleans(), told=st.booleans())
def test_features_stay_in_range(
    delta: tuple[float, float], horizon: int, play: list[tuple[str, float]], known: bool, told: bool
) -> None:
    p = Params(100.0, delta, horizon, known, told)
    s = rules.initial(p)
    for answer, share in play:
        for move in (ask(100 * share), YES if answer == "accept" else NO):
            if not s.over:
                s = rules.apply(p, s, (move,))
            for seat in (ALICE, BOB):
                assert all(-1 <= x <= 1 for x in rules.features(rules.observe(p, s, seat)))


# Parameters

NAN, INF = math.nan, math.inf
WRONG = {
    "money": (0, -1, NAN, INF, -INF, 1e13, 10**400, True, "100", None, [100], (100,), 1j, np.array([1.0, 2.0])),
    "delta": (
        0.9,
        (0.9,),
        (0.9, 0.9, 0.9),
        (0.0, 0.9),
        (0.9, 1.1),
        (-0.1, 0.9),
        (0.9, NAN),
        (INF, 0.9),
        (True, 0.9),
        ("0.9", "0.9"),
        "99",
        b"99",
        None,
        {0.9, 0.8},
        {0: 0.9, 1: 0.8},
        np.array([0.9, 0.8, 0.7]),
        (0.9, None),
    ),
    "horizon": (0, -1, 1.5, 12.0, NAN, INF, True, "12", [12], 10_001, 10**30),
    "max_rounds": (0, -1, 1.5, NAN, True, None, "99", 10_001),
    "complete_information": (0, 1, None, "True", "yes", [True]),
    "messages": (0, 1, None, "off", NAN),
}


def test_what_is_not_allowed_is_refused_by_name() -> None:
    refuses_each("bargaining", WRONG)


def test_what_is_allowed_is_kept_in_its_plain_form() -> None:
    for name, value, plain in [
        ("money", 100, 100.0),
        ("money", np.float32(0.5), 0.5),
        ("money", np.int64(100), 100.0),
        ("money", Fraction(1, 2), 0.5),
        ("money", 0.01, 0.01),
        ("money", 1e12, 1e12),
        ("delta", [1, 0.5], (1.0, 0.5)),
        ("delta", np.array([0.75, 0.5]), (0.75, 0.5)),
        ("delta", (5e-324, 1.0), (5e-324, 1.0)),
        ("horizon", np.int32(3), 3),
        ("horizon", 10_000, 10_000),
        ("horizon", None, None),
        ("max_rounds", np.uint8(7), 7),
        ("complete_information", np.bool_(False), False),
        ("messages", False, False),
    ]:
        kept = econzoo.make("bargaining", **{name: value}).public_params[name]
        assert kept == plain, (name, value)
        assert type(kept) is type(plain), (name, value)
        if isinstance(plain, tuple):
            assert all(type(x) is float for x in kept), (name, value)


def test_numbers_that_python_cannot_print_are_refused_by_name() -> None:
    for name in ("money", "horizon", "max_rounds"):
        with refuses(ValueError, "bargaining", name):
            econzoo.make("bargaining", **{name: 10**5000})


def test_an_unknown_parameter_is_named_beside_the_known_ones() -> None:
    with refuses(ValueError, "deltas", "money", "delta", "horizon", "max_rounds"):
        econzoo.make("bargaining", deltas=(0.9, 0.9))
