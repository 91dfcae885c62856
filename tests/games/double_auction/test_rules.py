"""The rules of the double auction: tables that a person can check by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, Move
from econzoo.envs.games.double_auction import GAME, rules
from games.double_auction.auctions import offered
from games.parameters import refuses_each
from refusals import refuses

PAIRS = [
    # k, bid and ask: price, and what a buyer to whom the unit is worth 80 and a seller to whom it is worth 20 win
    (0.5, 70, 40, 55, 25, 35),
    (0.0, 70, 40, 40, 40, 20),  # the seller's price
    (1.0, 70, 40, 70, 10, 50),  # the buyer's
    (0.25, 70, 40, 47.5, 32.5, 27.5),
    (0.5, 50, 50, 50, 30, 30),  # a bid that just reaches the ask
    (0.5, 49.99, 50, None, 0, 0),
    (0.5, 100, 90, 95, -15, 75),  # above the own value
    (0.5, 10, 0, 5, 75, -15),  # below it
]


def test_a_pair_trades_between_bid_and_ask() -> None:
    for k, bid, ask, price, buyer, seller in PAIRS:
        p, s = offered([80.0, 20.0], (bid, ask), k=k)
        assert rules.payoffs(p, s) == pytest.approx((buyer, seller)), (k, bid, ask)
        assert [rules.is_trading(p, s, seat) for seat in (0, 1)] == [price is not None] * 2, (k, bid, ask)
        if price is not None:
            assert rules.price_of(p, s) == price, (k, bid, ask)


SETTINGS = [
    # bids / asks: who trades, and the price half-way between the two middle offers
    ((90, 70, 50), (20, 40, 80), [0, 1, 3, 4], 60),  # 50 and 70: the third bid is above the second ask
    ((90, 70, 30), (20, 40, 60), [0, 1, 3, 4], 50),  # 40 and 60: the third ask is below the second bid
    ((50, 90, 70), (80, 20, 40), [1, 2, 4, 5], 60),  # the same in another order
    ((90, 80, 70), (10, 20, 30), [0, 1, 2, 3, 4, 5], 50),
    ((10, 20, 30), (40, 50, 60), [], None),
    ((90, 70, 50), (20,), [0, 3], 80),  # one unit: it goes to the highest bid, at least at the second
    ((90,), (20, 40, 60), [0, 1], 30),
    ((60, 60), (60, 60), [0, 1, 2, 3], 60),
]


def test_the_best_offers_trade_at_one_price() -> None:
    for bids, asks, traders, price in SETTINGS:
        count = len(bids) + len(asks)
        p, s = offered([50.0] * (count + 1), (*bids, *asks), buyers=len(bids), sellers=len(asks))
        assert [seat for seat in range(count) if rules.is_trading(p, s, seat)] == traders, (bids, asks)
        if traders:
            assert rules.price_of(p, s) == price, (bids, asks)


LOTS = [
    # offers of three buyers and the ask, lot: who buys
    ((60, 60, 60), 0.0, 0),
    ((60, 60, 60), 33.0, 0),
    ((60, 60, 60), 34.0, 1),
    ((60, 60, 60), 67.0, 2),
    ((60, 60, 60), 100.0, 0),
    ((60, 50, 60), 49.0, 0),
    ((60, 50, 60), 51.0, 2),
    ((60, 70, 60), 51.0, 1),  # no lot is needed
]


def test_the_lot_decides_between_equal_offers() -> None:
    for bids, lot, buyer in LOTS:
        p, s = offered([80.0, 80.0, 80.0, 20.0, lot], (*bids, 40.0), buyers=3)
        assert [seat for seat in range(3) if rules.is_trading(p, s, seat)] == [buyer], (bids, lot)


SIDES = st.lists(st.integers(0, 10).map(float), min_size=1, max_size=5)


@given(SIDES, SIDES, st.sampled_from([0.0, 0.3, 1.0]), st.floats(0, 10))
def test_the_price_clears_the_market(bids: list[float], asks: list[float], k: float, lot: float) -> None:
    """As many buy as sell, nobody on worse terms than offered; who is left out offered nothing better than it."""
    count, rest = len(bids) + len(asks), {"buyers": len(bids), "sellers": len(asks)}
    draws = [5.0] * count + [lot] * (count > 2)
    p, s = offered(draws, (*bids, *asks), money=10.0, k=k, **rest)
    traded = [rules.is_trading(p, s, seat) for seat in range(count)]
    assert sum(traded[: p.buyers]) == sum(traded[p.buyers :])
    if any(traded):
        price = rules.price_of(p, s)
        for seat, offer in enumerate(s.offers):
            left = rules.margin(p, seat, offer, price)
            assert left >= -1e-9 if traded[seat] else left <= 1e-9
    assert sum(rules.payoffs(p, s)) == pytest.approx(0.0), "with equal values money only changes hands"


def test_nature_draws_values_then_all_talk_then_all_offer() -> None:
    p = GAME.params(buyers=2, talk=1)[1]
    s = rules.initial(p)
    for number in (60.0, 50.0, 20.0, 0.0):  # the last one is the lot
        assert rules.to_act(p, s) == CHANCE
        s = rules.apply(p, s, (Move(CHANCE, (number, 0.0)),))
    assert (rules.to_act(p, s), s.round) == (SEVERAL, 1)
    assert [rules.legal(p, s, seat) for seat in range(3)] == [(True, True, False)] * 3
    assert [rules.bounds(p, s, seat)[0] for seat in range(3)] == [(2.0, 2.0), (2.0, 2.0), (0.0, 1.0)]
    says, listens = Move(rules.SAY, (2.0, 33.0)), Move(rules.LISTEN, (0.0, 0.0))
    s = rules.apply(p, s, (says, listens, Move(rules.SAY, (1.0, 70.0))))
    assert [rules.observe(p, s, seat).received for seat in range(3)] == [(-1, -1, -1), (-1, -1, 70), (33, -1, -1)]
    assert [rules.legal(p, s, seat) for seat in range(3)] == [(False, False, True)] * 3
    s = rules.apply(p, s, tuple([Move(rules.OFFER, (offer, 0.0)) for offer in (60.0, 50.0, 20.0)]))
    assert (rules.to_act(p, s), s.round) == (DONE, 2)
    assert rules.payoffs(p, s) == (5.0, 0.0, 35.0), "at 55, between 50 and 60"


def test_values_fill_the_range() -> None:
    env = econzoo.make("double_auction", face="structured", money=40.0)
    values = []
    for seed in range(400):
        env.reset(seed=seed)
        values += env.chance_draws
    assert len(values) == 800
    assert (min(values) < 1, max(values) > 39, abs(np.mean(values) - 20) < 2) == (True, True, True)


def test_what_is_not_allowed_is_refused_by_name() -> None:
    refuses_each("double_auction", {"buyers": (0,), "sellers": (21,), "money": (0,), "k": (1.1,), "talk": (-1,)})
    with refuses(ValueError, "double_auction", "periods", "talk"):
        econzoo.make("double_auction", periods=2)


@pytest.mark.usefixtures("interpreted")
def test_a_batch_of_larger_markets_plays_by_the_rules_to_the_last_bit() -> None:
    """Every game stands where the scalar rules lead; offers are whole tens, so that many are equal."""
    from econzoo.envs.core.vector import GameBatch

    markets = [{"buyers": 2, "sellers": 2, "talk": talk, "k": k} for talk in (0, 1, 2) for k in (0.0, 0.3, 1.0)]
    batch = GameBatch("double_auction", 8 * len(markets), markets * 8, seed=2, autoreset=False)
    rng, traded, shape = np.random.default_rng(1), 0, (batch.num_games, batch.seats)
    for _ in range(3):
        before = [batch.position(number) for number in range(batch.num_games)]
        running = np.flatnonzero(batch.to_act != DONE)
        talk = np.array([s.round <= p.talk for p, s in before])[:, None]
        kinds = np.where(talk, rng.integers(0, 2, shape), rules.OFFER)
        ears = rng.integers([2, 2, 0, 0], [4, 4, 2, 2], shape)
        amounts = rng.integers(0, 11, shape) * 10.0
        values = np.stack([np.where(talk, ears, amounts), np.where(talk, amounts, 0.0)], -1)
        payoffs, done = batch.step(kinds, values)
        for number in running:
            p, s = before[number]
            moves = [
                Move(int(k), tuple(v) if k != rules.LISTEN else (0.0, 0.0))
                for k, v in zip(kinds[number], values[number], strict=True)
            ]
            then = rules.apply(p, s, tuple(moves))
            assert batch.position(number)[1] == then
            assert done[number] == (rules.to_act(p, then) == DONE)
            assert tuple(payoffs[number]) == (rules.payoffs(p, then) if done[number] else (0.0,) * batch.seats)
            assert tuple(batch.gains(np.array([number]))[0]) == rules.gains(p, then)
            for seat in range(batch.seats):
                seen = np.array(rules.features(rules.observe(p, then, seat)), np.float32)
                assert np.array_equal(batch.observe(seat, np.array([number]))[0], seen)
                assert tuple(batch.legal(seat, np.array([number]))[0]) == rules.legal(p, then, seat)
            traded += sum([rules.is_trading(p, then, seat) for seat in range(batch.seats)]) if done[number] else 0
    assert not batch.errors.any()
    assert traded > batch.num_games
