"""What each scripted strategy of negotiation asks for and accepts, by hand."""

from __future__ import annotations

from bisect import bisect_left
from itertools import product

import pytest

import econzoo
from econzoo.baselines import player
from econzoo.baselines.negotiation import make_opponent
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.negotiation.rules import ACCEPT, BUYER, NOBODY, OFFER, OPT_OUT, REJECT, SELLER, Params, State
from econzoo.envs.games.negotiation.solution import spe_payoffs
from refusals import refuses

SCALE = 100.0


def market(
    seller: float = 100.0, buyer: float = 120.0, horizon: int | None = 5, told: bool = True, outside: bool = True
) -> Params:
    """A market; a horizon of None is unknown and ends after 99 rounds."""
    return Params(SCALE, (seller, buyer), 99 if horizon is None else horizon, horizon is not None, told, outside)


def posts(spec: str, params: Params, round: int) -> float:
    """The price that a strategy posts in a round."""
    state = State(round, False, (UNKNOWN, UNKNOWN), False, NOBODY, False)
    move = make_opponent(spec)(params, state, (round + 1) % 2, ())
    assert move.kind == OFFER
    return move.values[0]


def answer(spec: str, params: Params, round: int, price: float) -> int:
    """The kind of move with which a strategy answers a price in a round."""
    seat = round % 2
    prices = (UNKNOWN, price) if seat == SELLER else (price, UNKNOWN)
    return make_opponent(spec)(params, State(round, True, prices, False, NOBODY, False), seat, ()).kind


def limit(spec: str, params: Params, round: int) -> float:
    """The worst price that a strategy accepts in a round, to a cent; up to 40 from its own value."""
    seat = round % 2
    sign = 1 if seat == SELLER else -1
    cents = [params.value[seat] + sign * step / 100 for step in range(4001)]
    return cents[bisect_left(cents, True, key=lambda price: answer(spec, params, round, price) == ACCEPT)]


# Sellers post in odd rounds and answer in even ones. The values are 100 and 120, so the surplus is 20.


def test_prices_of_every_round():
    for spec, asks, bids in [  # prices in rounds 1, 3, 5 as a seller and 2, 4 as a buyer, of 5 rounds
        ("truthful", [100, 100, 100], [120, 120]),
        ("honest-midpoint", [110, 110, 110], [110, 110]),
        ("fixed-price", [110, 110, 110], [110, 110]),
        ("fixed-price(0.25)", [105, 105, 105], [115, 115]),
        ("fixed-price(share=1)", [120, 120, 120], [100, 100]),
        ("tough", [119, 119, 119], [101, 101]),
        ("tough(0.75)", [115, 115, 115], [105, 105]),
        ("concede", [118, 110, 102], [106, 114]),  # 0.9, 0.7, 0.5, 0.3, 0.1 of 20
        ("concede(1, 1, 0)", [120, 110, 100], [105, 115]),
        ("concede(0.5)", [118, 114, 102], [103, 111]),  # a quarter of the time: 0.9 - 0.8 / 16 = 0.85; 3/4: 0.45
        ("concede(2)", [118, 118 - 16 * 0.5**0.5, 102], [110, 120 - 18 + 16 * 0.75**0.5]),
        ("anchor", [140, 125, 110], [87.5, 102.5]),  # 2, 1.625, 1.25, 0.875, 0.5 of 20
        ("anchor(3, 0.6)", [160, 136, 112], [72, 96]),  # 3, 2.4, 1.8, 1.2, 0.6
        ("anchor(0.8, goal=0.8)", [116, 116, 116], [104, 104]),
        ("spe", [120, 120, 120], [120, 120]),  # the seller has the last word
    ]:
        for scale in (1.0, 1e4):
            params = market()._replace(money=SCALE * scale, value=(100 * scale, 120 * scale))
            assert [posts(spec, params, t) / scale for t in (1, 3, 5)] == pytest.approx(asks), (scale, spec, asks, bids)
            assert [posts(spec, params, t) / scale for t in (2, 4)] == pytest.approx(bids), (scale, spec, asks, bids)


def test_the_worst_price_accepted_in_every_round():
    for spec, seller, buyer in [  # the worst prices accepted in rounds 2, 4 as a seller and 1, 3, 5 as a buyer
        ("truthful", [100, 100], [120, 120, 120]),
        ("honest-midpoint", [110, 110], [110, 110, 110]),
        ("fixed-price(0.25)", [105, 105], [115, 115, 115]),
        ("tough", [119, 119], [101, 101, 119.99]),  # at the end next to nothing is better than nothing
        ("concede", [110, 102], [106, 114, 118]),  # what it would ask next; at the end its reservation
        ("anchor", [125, 110], [None, 102.5, 119.99]),
        ("spe", [120, 120], [120, 120, 120]),
    ]:
        assert [limit(spec, market(), t) for t in (2, 4)] == pytest.approx(seller, abs=1e-6), (spec, seller, buyer)
        found = [None if due is None else limit(spec, market(), t) for t, due in zip((1, 3, 5), buyer, strict=True)]
        assert found == pytest.approx(buyer, abs=1e-6), (spec, seller, buyer)


def test_holdout_waits_for_the_end():
    """It names 1.5 and 0.5 of the scale and takes a tenth of its value in the last round but one, then any gain."""
    assert [posts("holdout", market(), t) for t in (1, 2, 3, 4)] == [150, 50, 150, 50]
    assert posts("holdout", market(horizon=1), 1) == 110  # the other has named nothing: half of the surplus
    assert [answer("holdout", market(), t, price) for t, price in ((1, 0), (2, 1e6), (3, 0))] == [REJECT] * 3
    assert limit("holdout", market(), 4) == pytest.approx(110)
    assert limit("holdout(0.25)", market(), 4) == pytest.approx(125)
    assert limit("holdout", market(), 5) == pytest.approx(119.99)
    assert [limit("holdout", market(horizon=None), t) for t in (1, 2)] == pytest.approx([108, 110])
    assert [limit("holdout(rounds=3)", market(), t) for t in (2, 4)] == pytest.approx([110, 110])
    assert answer("holdout(rounds=0)", market(), 4, 1e6) == REJECT


def test_the_last_price_of_holdout_is_what_the_other_named_if_that_wins_anything():
    for named, last in ((115.0, 115.0), (101.0, 101.0), (99.0, 150.0)):
        state = State(5, False, (150.0, named), False, NOBODY, False)
        assert make_opponent("holdout")(market(), state, SELLER, ()).values[0] == last, (named, last)


def test_holdout_names_no_price_at_a_loss():
    """Values beyond its prices: 160 and 40."""
    assert posts("holdout", market(160, 200), 1) == 160
    assert posts("holdout", market(20, 40), 2) == 40


def test_two_equilibrium_players_trade_at_once_at_the_price_of_the_last_word():
    for horizon, price in ((1, 120.0), (2, 100.0), (3, 120.0), (10, 100.0), (99, 120.0)):
        record = econzoo.play("negotiation", ["spe", "spe"], horizon=horizon, money=100)
        assert record.turns[0].action["price"] == price, (horizon, price)
        assert len(record.turns) == 2, (horizon, price)
        assert record.payoffs == list(spe_payoffs(market(horizon=horizon))), (horizon, price)


def test_without_a_known_horizon_the_equilibrium_player_wants_half():
    params = market(horizon=None)
    assert [posts("spe", params, t) for t in (1, 2, 57)] == [110, 110, 110]
    assert [limit("spe", params, t) for t in (1, 2)] == pytest.approx([110, 110])


# Values that are not told


def test_prices_of_one_who_does_not_know_the_others_value():
    for spec, seller, ask, buyer, bid in [
        ("truthful", 100, 100, 120, 120),
        ("fixed-price", 100, 120, 120, 100),  # half of 40, which it takes a trade to be worth
        ("tough", 100, 138, 120, 82),
        ("concede", 80, 116, 150, 150 - 0.7 * 40),  # the buyer posts in round 2: a quarter of the time has passed
        ("anchor", 100, 180, 120, 120 - 1.625 * 40),
        ("anchor(3)", 20, 140, 20, 0),  # nobody asks to be paid for taking the good
        # 2/3 v + 1/4 * 150 + 1/12 * 80, and 2/3 v + 1/12 * 150 + 1/4 * 80
        ("honest-midpoint", 100, 110.833333333, 120, 112.5),
        ("honest-midpoint", 150, 150, 80, 80),  # the linear price would be a loss
        # against GLEE's values: 1.5 wins 50 in a quarter of the cases, 1.2 wins 20 in half of them
        ("spe", 100, 150, 150, 100),
        ("spe", 80, 120, 80, 80),
    ]:
        params = market(seller, buyer, told=False)
        assert (posts(spec, params, 1), posts(spec, params, 2)) == pytest.approx((ask, bid)), (spec, seller, ask, buyer)


def test_an_equilibrium_player_without_the_others_value_accepts_what_its_price_promises_and_any_gain_at_the_end():
    params = market(100, 150, horizon=3, told=False)
    assert limit("spe", params, 2) == pytest.approx(112.5)  # 1.5 wins 50 in a quarter of the cases
    assert limit("spe", params, 1) == pytest.approx(125.0)  # 1.0 wins 50 in half of the cases
    assert limit("spe", params, 3) == pytest.approx(150.0)


def test_without_a_known_horizon_tactics_reckon_with_twenty_rounds_and_then_stay():
    for spec in ("concede(0.4)", "anchor", "concede(3)"):
        unknown, twenty = market(horizon=None), market(horizon=20)
        for round in range(1, 21):
            assert posts(spec, unknown, round) == posts(spec, twenty, round), spec
        assert posts(spec, unknown, 57) == posts(spec, unknown, 21), spec


# The outside option


ALL = ["truthful", "honest-midpoint", "fixed-price", "tough", "concede", "anchor", "spe", "holdout"]


def test_nobody_opts_out_while_there_may_be_something_to_win():
    for spec, seat in product(ALL, (SELLER, BUYER)):
        bad = 99.0 if seat == SELLER else 121.0  # a loss: nobody accepts it
        early, late = (2, 4) if seat == SELLER else (1, 3)
        for params in (market(horizon=late), market(horizon=late, told=False)):
            assert answer(spec, params, early, bad) not in (ACCEPT, OPT_OUT), (spec, seat)
            assert answer(spec, params, late, bad) == OPT_OUT, "in the last round it costs nothing"
        assert answer(spec, market(horizon=None), late, bad) != OPT_OUT, (spec, seat)
        assert answer(spec, market(horizon=late, outside=False), late, bad) != OPT_OUT, (spec, seat)


def test_where_nothing_can_be_won_nobody_haggles():
    """Each posts its own value, accepts what is no loss, and is gone otherwise; but only if it knows."""
    for spec, (seller, buyer) in product(ALL, ((120.0, 100.0), (100.0, 100.0))):
        params = market(seller, buyer)
        assert (posts(spec, params, 1), posts(spec, params, 2)) == (seller, buyer), (spec, seller, buyer)
        assert answer(spec, params, 1, buyer + 1) == answer(spec, params, 2, seller - 1) == OPT_OUT, (spec, seller)
        assert answer(spec, params, 1, buyer - 1) == answer(spec, params, 2, seller + 1) == ACCEPT, (spec, seller)
        assert answer(spec, market(seller, buyer, told=False), 1, buyer + 1) != OPT_OUT, (spec, seller, buyer)
        assert answer(spec, market(seller, buyer, outside=False), 1, buyer + 1) not in (ACCEPT, OPT_OUT), (spec, seller)


# Digits, arguments


def test_prices_have_no_more_than_twelve_digits_and_are_accepted_where_they_leave_the_other_indifferent():
    for spec, value in product(ALL, ((100 / 3, 200 / 3), (1e12 / 3, 1e12 / 1.7), (0.01 / 3, 0.02 / 3))):
        params = market(*value)._replace(money=value[1])
        for round in (1, 2, 3):
            price = posts(spec, params, round)
            assert float(f"{price:.12g}") == price or spec == "spe", (spec, value)
        for horizon in (1, 2):  # spe leaves the other nothing, and a truthful one takes that
            params = market(*value, horizon=horizon)._replace(money=value[1])
            assert answer("truthful", params, horizon, posts("spe", params, horizon)) == ACCEPT, (spec, value)


def test_a_bad_spec_is_refused_with_what_is_allowed():
    for spec, *named in [
        ("fixed-price(1.1)", "share=1.1", "0 <= share <= 1"),
        ("tough(0.4)", "share=0.4", "0.5 <= share <= 1"),
        ("concede(0)", "e=0", "0 < e <= 1e+06"),
        ("concede(1, 0.5, 0.6)", "low=0.6", "0 <= low <= 0.5"),
        ("concede(1, 1.5)", "high=1.5", "0 <= high <= 1"),
        ("anchor(-1)", "x=-1", "0 <= x <= 100"),
        ("anchor(2, 1.5)", "goal=1.5", "0 <= goal <= 1"),
        ("anchor(0.4, 0.5)", "goal=0.5", "0 <= goal <= 0.4"),
        ("holdout(2)", "gain=2", "0 <= gain <= 1"),
        ("holdout(rounds=100)", "rounds=100", "0 <= rounds <= 99"),
        ("holdout(rounds=1.5)", "rounds=1.5", "0 <= rounds <= 99"),
        ("truthful(1)", "'truthful(1)'", "truthful"),
        ("boulware", "'boulware'", "negotiation", "bargaining"),
    ]:
        with refuses(ValueError, *named):
            player(spec, "negotiation")


# At the table


def test_pairs_by_hand():
    for players, payoffs, rounds in [
        (["honest-midpoint", "honest-midpoint"], [1000, 1000], 1),
        (["truthful", "truthful"], [0, 2000], 1),
        (["fixed-price(0.7)", "truthful"], [1400, 600], 1),
        (["truthful", "fixed-price(0.7)"], [0, 2000], 1),  # it posts first, and gives everything away
        (["fixed-price(0.6)", "fixed-price(0.6)"], [0, 0], 10),
        (["fixed-price(0.3)", "fixed-price(0.6)"], [600, 1400], 1),
        (["tough", "honest-midpoint"], [1000, 1000], 10),  # at the end half is better than nothing
        (["honest-midpoint", "tough"], [0, 0], 10),  # its price is refused to the end, and there it wants half
        (["concede(1, 1, 0)", "concede(1, 1, 0)"], [1111.11, 888.89], 5),  # 5 / 9 and 4 / 9
        (["holdout", "truthful"], [2000, 0], 10),  # accepted in the last round, at the buyer's own value
        (["holdout", "holdout"], [0, 0], 10),  # each names what the other loses by, to the end
        (["holdout", "fixed-price(0.6)"], [800, 1200], 10),
        (["anchor", "truthful"], [2000, 0], 6),  # 2 - 1.5 * 6 / 9: what it would ask in round 7 it is bid in round 6
    ]:
        record = econzoo.play("negotiation", players)
        assert record.payoffs == pytest.approx(payoffs), (players, payoffs, rounds)
        assert record.turns[-1].round == rounds, (players, payoffs, rounds)
