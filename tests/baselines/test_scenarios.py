"""The markets that training and evaluation draw from."""

from __future__ import annotations

import numpy as np
import pytest

from econzoo.envs.games.bargaining import GAME
from econzoo.envs.games.bargaining.scenarios import DISTRIBUTIONS, GLEE, HELD_OUT, MARKETS, Market, sample


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


def test_training_markets_fill_their_range():
    markets = drawn("train")
    deltas = [delta for market in markets for delta in market["delta"]]
    assert 0.5 <= min(deltas) < 0.501
    assert 0.999 < max(deltas) < 1.0
    assert {market["horizon"] for market in markets} == {None, *range(1, 25)} - {5, 8, 15, 20}
    assert {market["complete_information"] for market in markets} == {True, False}


def test_held_out_markets_cannot_be_drawn_in_training():
    def could_be_drawn(market: Market) -> bool:
        horizons = {None, *range(1, 25)} - {5, 8, 15, 20}
        return market["horizon"] in horizons and all(0.5 <= d < 1.0 for d in market["delta"])

    assert all(could_be_drawn(market) for market in drawn("train"))
    assert not any(could_be_drawn(market) for market in HELD_OUT)
    assert len(HELD_OUT) == len({str(market) for market in HELD_OUT}) == 12


def test_glee_has_384_different_markets_and_all_are_drawn():
    assert len({str(market) for market in GLEE}) == 384
    assert {str(market) for market in drawn("glee", 6000)} == {str(market) for market in GLEE}


def test_a_draw_is_a_copy():
    sample("ultimatum", np.random.default_rng(0))["horizon"] = 99
    sample("held-out", np.random.default_rng(0))["horizon"] = 99
    assert MARKETS["ultimatum"] == {"horizon": 1}
    assert not any(market["horizon"] == 99 for market in HELD_OUT)


@pytest.mark.parametrize("name", ["", "nowhere", None, 3, ["train"]])
def test_an_unknown_market_is_refused_with_what_is_allowed(name):
    with pytest.raises(ValueError, match="allowed: train, glee, held-out, default"):
        sample(name, np.random.default_rng(0))
