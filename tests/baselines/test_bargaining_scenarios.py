"""What is special about the markets of bargaining that training and evaluation draw from."""

from __future__ import annotations

import numpy as np
import pytest

from econzoo.envs.core import game
from econzoo.envs.games.bargaining import GAME
from econzoo.envs.games.bargaining.scenarios import TEST, VALIDATION, SettingParams


def drawn(name: str, count: int = 2000) -> list[SettingParams]:
    rng = np.random.default_rng(0)
    return [GAME.sample(name, rng) for _ in range(count)]


def test_training_markets_fill_their_range():
    markets = drawn("train")
    deltas = [delta for market in markets for delta in market["delta"]]
    assert 0.5 <= min(deltas) < 0.501
    assert 0.999 < max(deltas) < 1.0
    assert {market["horizon"] for market in markets} == {None, *range(1, 25)} - {5, 8, 15, 20}
    assert {market["complete_information"] for market in markets} == {True, False}


def test_wide_markets_are_half_those_of_training_half_patient():
    markets = drawn("wide", 4000)
    assert {market["horizon"] for market in markets} == {None, *range(1, 25)} - {5, 8, 15, 20}
    deltas = np.array([market["delta"] for market in markets])
    assert deltas.min() >= 0.5
    assert np.mean(deltas == 1.0) == pytest.approx(0.5 * 0.2, abs=0.01)
    assert np.median(deltas) == pytest.approx(0.836, abs=0.01), (
        "uniform above 0.5, or 1, or 1 - u**2 / 2: half are lower"
    )
    assert not [market for market in markets if market in (*VALIDATION, *TEST)]


def test_plain_markets_are_wide_ones_with_two_decimals():
    plain, wide = drawn("plain", 300), drawn("wide", 300)
    assert [market["horizon"] for market in plain] == [market["horizon"] for market in wide]
    assert all(market["delta"] == tuple(round(one, 2) for one in market["delta"]) for market in plain)
    assert np.abs(np.subtract([one["delta"] for one in plain], [one["delta"] for one in wide])).max() <= 0.005


def test_short_markets_have_few_rounds_and_none_that_is_held_back():
    for name, horizons in (("bargaining", {1, 2, 3, 4, 6, 7}), ("negotiation", {1, 2, 3, 5, 6})):
        scenarios, rng = game(name).scenarios, np.random.default_rng(5)
        drawn = [scenarios.DISTRIBUTIONS["short"](rng)["horizon"] for _ in range(3000)]
        assert set(drawn) == horizons, (name, horizons)
        assert np.mean([one == 1 for one in drawn]) == pytest.approx(1 / len(horizons), abs=0.03), (name, horizons)
        assert not horizons & {market["horizon"] for market in (*scenarios.VALIDATION, *scenarios.TEST)}, name


def test_plain_markets_are_none_that_are_held_back():
    """Rounded numbers could be those of the validation, where no number of rounds is told."""
    for name in ("bargaining", "negotiation"):
        scenarios, rng = (
            game(name).scenarios,
            np.random.default_rng(3),
        )  # rounding alone hits some of both
        held_back = [{"complete_information": True, **market} for market in (*scenarios.VALIDATION, *scenarios.TEST)]
        drawn = [scenarios.DISTRIBUTIONS["plain"](rng) for _ in range(2000)]
        assert not [one for one in drawn if one in held_back], name


def test_validation_markets_cannot_be_drawn_in_training():
    def could_be_drawn(market: SettingParams) -> bool:
        horizons = {None, *range(1, 25)} - {5, 8, 15, 20}
        return market["horizon"] in horizons and all(0.5 <= d < 1.0 for d in market["delta"])

    assert all(could_be_drawn(market) for market in drawn("train"))
    assert not any(could_be_drawn(market) for market in VALIDATION)
    assert len(VALIDATION) == len({str(market) for market in VALIDATION}) == 12
