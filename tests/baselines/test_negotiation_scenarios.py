"""What is special about the markets of negotiation that training and evaluation draw from."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from econzoo.envs.games.negotiation import GAME
from econzoo.envs.games.negotiation.scenarios import GLEE, VALIDATION, SettingParams


def drawn(name: str, count: int = 2000) -> list[SettingParams]:
    rng = np.random.default_rng(0)
    return [GAME.sample(name, rng) for _ in range(count)]


def test_glee_crosses_its_values_and_horizons():
    factors = set(product((0.8, 1.0, 1.2, 1.5), repeat=2))
    assert {(market["seller_value"], market["buyer_value"]) for market in GLEE} == factors
    assert {market["horizon"] for market in GLEE} == {1, 10, None}


def test_training_markets_fill_their_range():
    markets = drawn("train")
    pairs = [(market["seller_value"], market["buyer_value"]) for market in markets]
    assert 0.5 <= min(map(min, pairs)) < 0.51
    assert 1.49 < max(map(max, pairs)) <= 1.5
    assert {market["horizon"] for market in markets} == {None, *range(1, 12)} - {4, 7}
    assert {market["complete_information"] for market in markets} == {True, False}
    assert np.mean([seller > buyer for seller, buyer in pairs]) == pytest.approx(0.2, abs=0.03)


def test_validation_markets_cannot_be_drawn_in_training():
    grid = {0.1 * step for step in range(5, 16)}
    for market in VALIDATION:
        known = market["horizon"] in {4, 7, 12}
        assert known or {market["seller_value"], market["buyer_value"]} <= {round(value, 1) for value in grid}
    values = [value for market in drawn("train") for value in (market["seller_value"], market["buyer_value"])]
    assert not any(value == round(value, 1) for value in values), "values are drawn from a continuum"
    assert len({str(market) for market in VALIDATION}) == len(VALIDATION) == 10
