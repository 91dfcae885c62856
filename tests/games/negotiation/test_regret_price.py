"""The price without a prior: its largest regret is what is said, and no other way to post a price has a smaller one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from econzoo.envs.games.negotiation.private_values import regret_price
from econzoo.envs.games.negotiation.rules import BUYER, SELLER
from refusals import refuses

DRAWS = (np.arange(4000) + 0.5) / 4000
SETTINGS = ((0.0, 0.0, 1.0), (0.0, 0.25, 1.0), (0.0, 0.6, 1.0), (0.8, 0.8, 1.5), (1.0, 0.8, 1.5), (80.0, 100.0, 150.0))
"""Own value, and the least and the most that the other's may be."""


def regrets(prices: np.ndarray, values: np.ndarray, own: float) -> np.ndarray:
    """What a seller regrets of each price (rows) at each value (columns): what could be won, less what is."""
    return np.maximum(values - own, 0.0) - np.where(prices[:, None] <= values, prices[:, None] - own, 0.0)


def test_by_hand() -> None:
    found = regret_price(SELLER, 0.0, 0.0, 1.0)
    assert found == pytest.approx((0.0, 1 / math.e, 1.0, 0.0, 1 / math.e))
    assert [found.price(luck) for luck in (0.0, 0.5, 1.0)] == pytest.approx([1 / math.e, math.exp(-0.5), 1.0])
    sure = regret_price(SELLER, 0.0, 0.5, 1.0)  # whoever comes has 0.5
    assert sure == pytest.approx((0.0, 0.5, 1.0, 1 - math.log(2), 0.5 * math.log(2)))
    assert sure.price(0.3) == 0.5
    assert regret_price(SELLER, 5.0, 1.0, 4.0) == (5.0, 5.0, 5.0, 1.0, 0.0)  # nothing to win
    assert regret_price(SELLER, 1.0, 3.0, 3.0) == (1.0, 3.0, 3.0, 1.0, 0.0)  # nothing is unknown


@given(own=st.floats(-2, 2), low=st.floats(-2, 2), width=st.floats(0.0, 3))
def test_no_value_makes_it_regret_more_than_is_said_and_every_one_that_may_buy_makes_it_regret_that(
    own: float, low: float, width: float
) -> None:
    found = regret_price(SELLER, own, low, low + width)
    prices = np.array([found.price(luck) for luck in DRAWS])
    values = np.linspace(low, low + width, 101)
    expected = regrets(prices, values, own).mean(axis=0)
    assert expected.max() <= found.regret + 2e-3
    assert expected[values > found.safest + 1e-9] == pytest.approx(found.regret, abs=2e-3)


@given(own=st.floats(-2, 2), low=st.floats(-2, 2), width=st.floats(0, 3), luck=st.floats(0, 1))
def test_a_buyer_is_the_mirror_image_of_a_seller(own: float, low: float, width: float, luck: float) -> None:
    bid, ask = regret_price(BUYER, own, low, low + width), regret_price(SELLER, -own, -low - width, -low)
    assert bid.price(luck) == pytest.approx(-ask.price(luck))
    assert (bid.chance, bid.regret) == pytest.approx((ask.chance, ask.regret))


def test_no_other_price_drawn_or_not_has_a_smaller_largest_regret() -> None:
    """By a linear program over all ways to draw one of 150 prices, each of which a value of the same grid may meet."""
    for own, low, high in SETTINGS:
        grid = np.linspace(low, high, 150)
        table, (rows, columns) = regrets(grid, grid, own), (len(grid), len(grid))
        best = linprog(
            [*np.zeros(rows), 1.0],
            A_ub=np.hstack([table.T, -np.ones((columns, 1))]),
            b_ub=np.zeros(columns),
            A_eq=[[*np.ones(rows), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * rows + [(None, None)],
        )
        found, step = regret_price(SELLER, own, low, high), (high - low) / 149
        assert found.regret - step <= best.fun <= found.regret + 1e-9, (own, low, high)
        assert table.max(axis=1).min() >= found.regret - step, (own, low, high)  # nor has one for sure


def test_what_is_no_interval_is_refused() -> None:
    for arguments, words in [
        ((SELLER, 0.0, 2.0, 1.0), ("low", "high")),
        ((SELLER, math.nan, 0.0, 1.0), ("own_value",)),
    ]:
        with refuses(ValueError, *words):
            regret_price(*arguments)
    for low, high in product((math.inf, "a"), (1.0,)):
        with refuses(ValueError, "low"):
            regret_price(BUYER, 0.0, low, high)
