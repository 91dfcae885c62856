"""The markets of negotiation that training and evaluation draw from."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from econzoo.envs.games.negotiation import GAME
from econzoo.envs.games.negotiation.scenarios import DISTRIBUTIONS, GLEE, HELD_OUT, MARKETS, Market, sample


def drawn(name: str, count: int = 2000) -> list[Market]:
    rng = np.random.default_rng(0)
    return [sample(name, rng) for _ in range(count)]


@pytest.mark.parametrize("market", [*MARKETS.values(), *HELD_OUT, *GLEE[::7]])
def test_every_market_is_one(market):
    public, _ = GAME.params(**market)
    assert all(public[name] == value for name, value in market.items())


@pytest.mark.parametrize("name", [*MARKETS, *DISTRIBUTIONS])
def test_every_draw_is_a_market_and_depends_on_the_generator_only(name):
    assert all(GAME.params(**market) for market in drawn(name, 50))
    assert drawn(name, 50) == drawn(name, 50)


def test_glee_has_576_different_markets_and_all_are_drawn():
    """4 values of the seller, 4 of the buyer, 3 scales, 3 horizons, information and messages on and off."""
    assert len(GLEE) == len({str(market) for market in GLEE}) == 4 * 4 * 3 * 3 * 2 * 2
    factors = set(product((0.8, 1.0, 1.2, 1.5), repeat=2))
    assert {(market["seller_value"], market["buyer_value"]) for market in GLEE} == factors
    assert {market["horizon"] for market in GLEE} == {1, 10, None}
    assert {str(market) for market in drawn("glee", 9000)} == {str(market) for market in GLEE}


def test_training_markets_fill_their_range():
    markets = drawn("train")
    pairs = [(market["seller_value"], market["buyer_value"]) for market in markets]
    assert 0.5 <= min(map(min, pairs)) < 0.51
    assert 1.49 < max(map(max, pairs)) <= 1.5
    assert {market["horizon"] for market in markets} == {None, *range(1, 12)} - {4, 7}
    assert {market["complete_information"] for market in markets} == {True, False}
    assert np.mean([seller > buyer for seller, buyer in pairs]) == pytest.approx(0.2, abs=0.03)


def test_held_out_markets_cannot_be_drawn_in_training():
    grid = {0.1 * step for step in range(5, 16)}
    for market in HELD_OUT:
        known = market["horizon"] in {4, 7, 12}
        assert known or {market["seller_value"], market["buyer_value"]} <= {round(value, 1) for value in grid}
    values = [value for market in drawn("train") for value in (market["seller_value"], market["buyer_value"])]
    assert not any(value == round(value, 1) for value in values), "values are drawn from a continuum"
    assert len({str(market) for market in HELD_OUT}) == len(HELD_OUT) == 10
