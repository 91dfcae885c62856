"""Metrics of persuasion: the paper's definition by hand, and where the paper's public code differs."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.games.persuasion import metrics
from econzoo.envs.games.persuasion.rules import Params, State

NAN = math.nan


def market(rounds: int = 20, high_value: float = 3.0, low_value: float = 0.0, price: float = 100.0) -> Params:
    public = {"rounds": rounds, "high_value": high_value, "low_value": low_value, "price": price}
    params: Params = econzoo.game("persuasion").params(**public)[1]
    return params


def ended(sold_high: int, sold_low: int, declined_high: int, declined_low: int) -> State:
    """A game that ended with these counts."""
    rounds = sold_high + sold_low + declined_high + declined_low
    return State(rounds, 0, -math.inf, -1, sold_high, sold_low, declined_high, declined_low, 0, 0, 1.0, True)


def test_the_buyers_gain_by_the_paper_and_by_its_code() -> None:
    for counts, high_value, paper, code in [
        # 20 rounds; counts: high sold, low sold, high declined, low declined; the code forgets low ones that were sold
        ((6, 0, 0, 14), 3.0, 0.60, -0.10),  # buys exactly the high ones: 6 * 2 / 20, and (6 * 2 - 14) / 20
        ((0, 14, 6, 0), 3.0, -0.70, 0.0),  # buys exactly the low ones
        ((6, 14, 0, 0), 3.0, -0.10, 0.60),  # buys all: (12 - 14) / 20, and 12 / 20
        ((0, 0, 6, 14), 3.0, 0.0, -0.70),  # buys nothing
        ((10, 0, 0, 10), 1.25, 0.125, -0.375),  # 10 * 0.25 / 20, and (2.5 - 10) / 20
        ((5, 5, 5, 5), 2.0, 0.0, 0.0),  # (5 - 5) / 20 either way
    ]:
        position = market(high_value=high_value), ended(*counts)
        assert metrics.outcome(*position).gains[1] == pytest.approx(paper), (counts, high_value)
        assert metrics.outcome(*position, "glee-code").gains[1] == pytest.approx(code), (counts, high_value)


def test_what_both_definitions_share() -> None:
    for definition, (counts, seller, efficiency, fairness) in product(
        metrics.DEFINITIONS,
        [
            ((6, 0, 0, 14), 0.3, 1.0, 1.0),
            ((0, 14, 6, 0), 0.7, 0.0, 0.0),
            ((6, 14, 0, 0), 1.0, 1.0, 0.0),
            ((0, 0, 6, 14), 0.0, 0.0, 1.0),
            ((3, 4, 9, 4), 0.35, 0.25, 0.5),  # 7 / 20, 3 / 12, 4 / 8
            ((0, 5, 0, 15), 0.25, NAN, 0.75),  # no product of high quality
            ((5, 0, 15, 0), 0.25, 0.25, NAN),  # none of low quality
        ],
    ):
        outcome = metrics.outcome(market(), ended(*counts), definition)
        assert outcome.gains[0] == pytest.approx(seller), (definition, counts)
        assert outcome.efficiency == pytest.approx(efficiency, nan_ok=True), (definition, counts)
        assert outcome.fairness == pytest.approx(fairness, nan_ok=True), (definition, counts)
        assert outcome.agreed == (seller > 0), (definition, counts)


def test_the_code_takes_low_quality_for_worthless() -> None:
    position = market(low_value=0.5), ended(0, 10, 0, 10)
    assert metrics.outcome(*position).gains[1] == pytest.approx(-0.25)  # 10 * (0.5 - 1) / 20
    assert metrics.outcome(*position, "glee-code").gains[1] == pytest.approx(-0.5)


def test_a_game_that_is_not_over_counts_the_rounds_that_are() -> None:
    env = econzoo.make("persuasion", face="structured", message_type="binary", rounds=4, high_value=3.0)
    env.reset(seed=0, options={"chance": [1.0, 0.0, 1.0, 1.0]})
    assert math.isnan(env.outcome().efficiency)
    for kind in ("recommend", "buy", "recommend", "buy", "recommend"):
        env.step({"kind": kind})
    outcome = env.outcome()
    assert outcome.gains == pytest.approx((2 / 4, (2 - 1) / 4))
    assert (outcome.efficiency, outcome.fairness, outcome.agreed) == (1.0, 0.0, True)


def test_nan_is_null_in_records_and_reads_back_as_nan() -> None:
    from econzoo.evaluate.analyses import frame

    record = econzoo.play("persuasion", ["honest", "always"], prior=1.0, rounds=3)
    assert record.metrics["fairness"] is None or math.isnan(record.metrics["fairness"])
    table = frame([record])
    assert table["fairness"].isna().all()
    assert table["efficiency"].tolist() == [1.0, 1.0]


COUNT = st.integers(0, 50)


@given(counts=st.tuples(COUNT, COUNT, COUNT, COUNT), high=st.floats(1, 10), low=st.floats(0, 1))
def test_metrics_stay_in_range(counts: tuple[int, int, int, int], high: float, low: float) -> None:
    rounds = max(sum(counts), 1)
    outcome = metrics.outcome(market(rounds, high, low), ended(*counts))
    assert 0 <= outcome.gains[0] <= 1
    assert low - 1 - 1e-9 <= outcome.gains[1] <= high - 1 + 1e-9
    for part in (outcome.efficiency, outcome.fairness):
        assert math.isnan(part) or 0 <= part <= 1
