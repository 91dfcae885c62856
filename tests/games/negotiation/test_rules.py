"""The rules of negotiation: whose turn, what is legal, what a trade is worth, and how it ends without one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import DONE, UNKNOWN, Move
from econzoo.envs.games.negotiation import GAME, perspective, rules
from econzoo.envs.games.negotiation.rules import ACCEPT, NOBODY, OFFER, OPT_OUT, REJECT, Params, State
from games.parameters import refuses_each
from refusals import refuses

ALICE, BOB = 0, 1
YES, NO, OUT = Move(ACCEPT, (0.0,)), Move(REJECT, (0.0,)), Move(OPT_OUT, (0.0,))


def market(**public: Any) -> Params:
    """The good is worth 100 to Alice and 120 to Bob unless given."""
    return GAME.params(**{"money": 100, "seller_value": 1.0, "buyer_value": 1.2, **public})[1]


def price(dollars: float) -> Move:
    return Move(OFFER, (dollars,))


def after(p: Params, *moves: Move) -> State:
    s = rules.initial(p)
    for move in moves:
        assert rules.legal(p, s, rules.to_act(p, s))[move.kind], f"{move} in {s}"
        s = rules.apply(p, s, (move,))
    return s


# Turns


def test_no_price_is_posted_at_first() -> None:
    assert rules.initial(market()) == State(1, False, (UNKNOWN, UNKNOWN), False, NOBODY, False)


def test_who_moves_when() -> None:
    for moves, round, turn in [
        ([], 1, ALICE),  # Alice posts in round 1
        ([price(110)], 1, BOB),  # and Bob answers
        ([price(110), NO], 2, BOB),  # then they change roles
        ([price(110), NO, price(105)], 2, ALICE),
        ([price(110), NO, price(105), NO], 3, ALICE),
        ([price(110), YES], 1, DONE),
        ([price(110), OUT], 1, DONE),
        ([price(110), NO, price(105), OUT], 2, DONE),
    ]:
        p = market()
        s = after(p, *moves)
        assert (s.round, rules.to_act(p, s)) == (round, turn), moves


def test_only_the_one_who_answers_may_opt_out_and_only_where_there_is_an_outside_option() -> None:
    for outside in (True, False):
        p = market(outside_option=outside)
        nothing = (False,) * 4
        for moves, posts, answers in ([[], ALICE, BOB], [[price(110), NO], BOB, ALICE]):
            assert rules.legal(p, after(p, *moves), posts) == (True, False, False, False), outside
            assert rules.legal(p, after(p, *moves), answers) == nothing, outside
            waiting = after(p, *moves, price(110))
            assert rules.legal(p, waiting, answers) == (False, True, True, outside)
            assert rules.legal(p, waiting, posts) == nothing, outside
        assert rules.legal(p, after(p, price(110), YES), ALICE) == nothing, outside


def test_prices_up_to_twice_the_largest_public_sum_may_be_posted_and_those_that_are_no_loss_are_usual() -> None:
    p = market(buyer_value=0.8)
    for seat, usual in ((ALICE, (100.0, 200.0)), (BOB, (0.0, 80.0))):
        assert rules.span(p, rules.initial(p), seat) == (usual,)
    for public, limits in [
        ({}, (0.0, 240.0)),
        ({"buyer_value": 0.8}, (0.0, 200.0)),
        ({"seller_value": 3.0}, (0.0, 600.0)),
        ({"complete_information": False}, (0.0, 200.0)),  # values beyond the scale are not given away
        ({"complete_information": False, "buyer_value": 2.0}, (0.0, 200.0)),
        ({"bound": 10.0}, (0.0, 1200.0)),
        ({"bound": None}, (-1e15, 1e15)),
        ({"bound": None, "complete_information": False}, (-1e15, 1e15)),
    ]:
        p = market(**public)
        for seat in (ALICE, BOB):
            assert rules.bounds(p, rules.initial(p), seat) == (limits,), (public, seat)
            view = rules.observe(p, rules.initial(p), seat)
            assert perspective.options(view)[1] == (limits,), (public, seat)
    for name in ("seller_value", "buyer_value"):
        with refuses(ValueError, name, 2.5, "bound"):
            market(complete_information=False, **{name: 2.5})
        market(complete_information=False, bound=2.5, **{name: 2.5})
    dear = market(seller_value=3.0, buyer_value=3.0)
    assert [rules.span(dear, rules.initial(dear), seat) for seat in (ALICE, BOB)] == [
        ((300.0, 600.0),),
        ((0.0, 300.0),),
    ]


# What a trade is worth: price - V_A for the seller, V_B - price for the buyer


def test_payoffs() -> None:
    for values, moves, payoffs in [
        ((1.0, 1.2), [price(110), YES], (10, 10)),
        ((1.0, 1.2), [price(120), YES], (20, 0)),
        ((1.0, 1.2), [price(100), YES], (0, 20)),
        ((1.0, 1.2), [price(130), YES], (30, -10)),  # the buyer loses
        ((1.0, 1.2), [price(0), YES], (-100, 120)),
        ((1.0, 1.2), [price(-5), YES], (-105, 125)),  # paid for taking it
        ((1.0, 1.2), [price(130), NO, price(105), YES], (5, 15)),  # the last price counts
        ((1.0, 1.2), [price(130), NO, price(90), NO, price(112), YES], (12, 8)),  # waiting costs nothing
        ((1.0, 1.0), [price(100), YES], (0, 0)),
        ((1.2, 1.0), [price(110), YES], (-10, -10)),  # no zone of agreement: both lose
        ((1.0, 1.2), [price(110)], (0, 0)),
        ((1.0, 1.2), [price(110), NO], (0, 0)),
        ((1.0, 1.2), [price(110), OUT], (0, 0)),
        ((1.0, 1.2), [price(110), NO, price(105), OUT], (0, 0)),
    ]:
        p = market(seller_value=values[0], buyer_value=values[1])
        s = after(p, *moves)
        assert rules.payoffs(p, s) == pytest.approx(payoffs, abs=1e-12), (values, moves)
        assert rules.gains(p, s) == pytest.approx([x / 100 for x in payoffs], abs=1e-12), (values, moves)


# The end


def test_the_last_rejection_ends_the_game_without_a_trade() -> None:
    for horizon in (1, 2, 3, 10):
        p = market(horizon=horizon)
        s = after(p, *[price(110), NO] * (horizon - 1), price(110))
        assert not s.over, horizon
        assert rules.payoffs(p, rules.apply(p, s, (YES,))) == pytest.approx((10, 10)), horizon
        s = rules.apply(p, s, (NO,))
        assert (s.round, s.agreed, s.left, s.over) == (horizon, False, NOBODY, True)
        assert rules.payoffs(p, s) == (0.0, 0.0), horizon


def test_who_opts_out_ends_the_game() -> None:
    for moves, who in [([price(110), OUT], BOB), ([price(110), NO, price(105), OUT], ALICE)]:
        p = market()
        s = after(p, *moves)
        assert (s.over, s.agreed, s.left) == (True, False, who), moves
        assert [rules.observe(p, s, seat).left for seat in (ALICE, BOB)] == [who, who], moves


def test_the_default_market() -> None:
    assert GAME.params()[0] == {
        "money": 10_000.0,
        "seller_value": 1.0,
        "buyer_value": 1.2,
        "horizon": 10,
        "max_rounds": 99,
        "complete_information": True,
        "messages": True,
        "outside_option": True,
        "bound": 2.0,
    }


def test_what_stands_in_for_an_unusable_answer() -> None:
    for seat, moves, expected in [
        (ALICE, [], {"kind": "offer", "price": 100.0}),  # its own value: never a loss
        (BOB, [price(110)], {"kind": "reject"}),
        (BOB, [price(110), NO], {"kind": "offer", "price": 120.0}),
    ]:
        p = market()
        assert GAME.actions.to_plain(GAME.default_action(rules.observe(p, after(p, *moves), seat))) == expected


# What each knows


def test_what_the_one_who_answers_sees() -> None:
    p = market(horizon=5)
    view = rules.observe(p, after(p, price(130), NO, price(105)), ALICE)
    assert view == rules.View(
        seat=ALICE,
        round=2,
        horizon=5,
        money=100.0,
        own_value=100.0,
        other_value=120.0,
        outside_option=1,
        proposing=0,
        offered=105.0,
        own_price=130.0,
        other_price=105.0,
        over=0,
        agreed=0,
        left=-1,
        traded_at=UNKNOWN,
        own_payoff=UNKNOWN,
        bound=2.0,
    )


def test_each_sees_its_own_result_only() -> None:
    p = market()
    s = after(p, price(112), YES)
    assert [rules.observe(p, s, seat).own_payoff for seat in (ALICE, BOB)] == pytest.approx([12.0, 8.0])


def test_features_of_a_position_by_hand() -> None:
    p = market(horizon=4)
    s = after(p, price(150), NO, price(75))
    told = rules.features(rules.observe(p, s, ALICE))
    assert told == pytest.approx(
        [
            0,  # Alice sells
            0,  # Bob posts in round 2
            0.5,  # 1 - 1/2
            0.25,  # 1/4
            0.5,  # round 2 of 4
            1,  # there is an outside option
            0.5,  # 100 / (100 + 100)
            120 / 220,
            -0.2,  # 75 - 100 = -25; -25 / 125
            1,  # a price waits
            1 / 3,  # 150 - 100 = 50; 50 / 150
            -0.2,
            1,  # Bob has posted a price
            1 / 3,  # rounds 2, 3 and 4 are left
            0,  # Bob posts in round 4
        ]
    )
    assert len(told) == len(rules.FEATURES)


# Any play at all

PRICES = st.floats(-1e15, 1e15)
ANSWERS = st.sampled_from([YES, NO, NO, NO, OUT])
VALUES = st.floats(0, 1000)
PLAY = st.lists(st.tuples(PRICES, ANSWERS), min_size=1, max_size=12)


@given(st.floats(0.01, 1e9), VALUES, VALUES, st.integers(1, 8), PLAY)
def test_payoffs_sum_to_the_surplus_if_and_only_if_there_is_a_trade(money, seller, buyer, horizon, play) -> None:
    p = market(money=money, seller_value=seller, buyer_value=buyer, horizon=horizon)
    s, posted = rules.initial(p), 0
    for amount, answer in play:
        if s.over:
            break
        s, posted = rules.apply(p, s, (price(amount),)), posted + 1
        assert s.round == posted, "one price a round"
        s = rules.apply(p, s, (answer,))
    payoffs = rules.payoffs(p, s)
    assert posted <= horizon
    if s.agreed:
        traded = rules.current_price(s)
        scale = max(abs(traded), *p.value)
        assert sum(payoffs) == pytest.approx(p.value[BOB] - p.value[ALICE], abs=1e-12 * scale)
        assert payoffs[ALICE] + p.value[ALICE] == pytest.approx(traded, abs=1e-12 * scale)
    else:
        assert payoffs == (0.0, 0.0)


@given(st.floats(0.01, 1e9), VALUES, VALUES, st.integers(1, 300), PLAY, st.booleans(), st.booleans())
def test_features_stay_in_range(money, seller, buyer, horizon, play, known, told) -> None:
    p = Params(money, (seller * money, buyer * money), horizon, known, told, True)
    s = rules.initial(p)
    for amount, answer in play:
        for move in (price(amount), answer):
            if not s.over:
                s = rules.apply(p, s, (move,))
            for seat in (ALICE, BOB):
                assert all(-1 <= x <= 1 for x in rules.features(rules.observe(p, s, seat)))


@given(st.floats(0.01, 1e9), VALUES, VALUES)
def test_no_usual_price_is_a_loss(money, seller, buyer) -> None:
    p = market(money=money, seller_value=seller, buyer_value=buyer)
    for seat in (ALICE, BOB):
        ((low, high),) = rules.span(p, rules.initial(p), seat)
        assert 0 <= low <= high
        assert (low if seat == ALICE else high) == p.value[seat]


SETTINGS = st.fixed_dictionaries(
    {
        "money": st.floats(0.01, 1e9),
        "seller_value": VALUES,
        "buyer_value": VALUES,
        "horizon": st.one_of(st.none(), st.integers(1, 5)),
        "max_rounds": st.integers(1, 5),
        "complete_information": st.booleans(),
        "outside_option": st.booleans(),
        "bound": st.sampled_from([None, 1000.0]),
    }
)


@pytest.mark.usefixtures("interpreted")
@settings(max_examples=30, deadline=None)
@given(markets=st.lists(SETTINGS, min_size=1, max_size=5), seed=st.integers(0, 2**32), default=st.booleans())
def test_thousands_at_once_stand_where_one_stands(markets, seed, default) -> None:
    """Compiled and plain rules agree to the last bit, also on moves that are not legal."""
    from econzoo.envs.core.vector import GameBatch

    on_error = "default" if default else "forfeit"
    batch = GameBatch("negotiation", len(markets), markets, on_error=on_error, autoreset=False)
    twins = [econzoo.make("negotiation", face="structured", max_retries=0, on_error=on_error, **m) for m in markets]
    for twin in twins:
        twin.reset()
    rng, names = np.random.default_rng(seed), GAME.actions.names
    for _ in range(10):
        kinds = rng.choice([0, 0, 0, 1, 2, 2, 2, 2, 3, 9], size=len(markets))
        amounts = rng.choice([0.0, 1e15, -1e15, 2e15, *rng.uniform(-1, 3, 3) * 1e4], size=len(markets))
        batch.step(kinds, amounts)
        for number, twin in enumerate(twins):
            if not twin.over and twin.agents:
                name = names[kinds[number]] if kinds[number] < 4 else "haggle"
                twin.step({"kind": name, **({"price": float(amounts[number])} if name == "offer" else {})})
            params, state = batch.position(number)
            assert (params, state) == (twin.params, twin.game_state)
            assert tuple(batch.payoffs()[number]) == rules.payoffs(params, state)
            for seat in (ALICE, BOB):
                games = np.array([number])
                seen = np.array(rules.features(rules.observe(params, state, seat)), np.float32)
                assert np.array_equal(batch.observe(seat, games)[0], seen)
                nothing = (False,) * 4  # a forfeit ends a game in the middle
                assert tuple(batch.legal(seat, games)[0]) == (
                    nothing if twin.over else rules.legal(params, state, seat)
                )
                assert [tuple(pair) for pair in batch.span(seat, games)[0]] == list(rules.span(params, state, seat))


# Parameters

NAN, INF = math.nan, math.inf
WRONG = {
    "money": (0, -1, NAN, INF, 1e10, True, "100", None, [100]),
    "seller_value": (-0.1, 1001, NAN, INF, True, "1", None, (1.0, 1.2)),
    "buyer_value": (-0.1, 1001, NAN, -INF, False, "1", None, [1.2]),
    "horizon": (0, -1, 1.5, NAN, True, "12", 10_001),
    "max_rounds": (0, 1.5, None, 10_001),
    "complete_information": (0, 1, None, "True"),
    "messages": (0, "off"),
    "outside_option": (1, None, "John"),
}


def test_what_is_not_allowed_is_refused_by_name() -> None:
    refuses_each("negotiation", WRONG)


def test_a_price_beyond_all_reason_is_refused() -> None:
    for dollars in (1.1e15, -1.1e15, NAN, INF):
        env = econzoo.make("negotiation", face="structured", max_retries=0, on_error="forfeit")
        env.reset()
        env.step({"kind": "offer", "price": dollars})
        assert env.errors[ALICE] == 1, dollars
        assert env.game_state == rules.initial(env.params), dollars
