"""Metrics of bargaining: the paper's definition by hand, and where the paper's public code differs."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import Outcome
from econzoo.envs.games.bargaining import metrics
from econzoo.envs.games.bargaining.rules import NO_OFFER, Params, State
from refusals import refuses


def deal(round: int, share: float, delta: tuple[float, float] = (0.9, 0.8), money: float = 100.0) -> tuple:
    """An agreement in a round that gives Alice a share of the money."""
    alice, bob = share * money, money - share * money
    asked = (alice, NO_OFFER) if round % 2 else (NO_OFFER, bob)
    return Params(money, delta, 12, True, True), State(round, False, asked, True, True)


def breakdown(horizon: int, delta: tuple[float, float] = (0.9, 0.8)) -> tuple:
    return Params(100.0, delta, horizon, True, True), State(horizon, False, (60.0, 60.0), False, True)


def test_an_agreement() -> None:
    """Both definitions agree: discounted shares, their sum, and the fairness of the undiscounted division."""
    for definition, (round, share, gains, fairness) in product(
        metrics.DEFINITIONS,
        [
            (1, 0.5, (0.5, 0.5), 1.0),
            (1, 1.0, (1.0, 0.0), 0.0),
            (1, 0.0, (0.0, 1.0), 0.0),
            (1, 0.75, (0.75, 0.25), 0.75),  # 1 - 4 * 0.25 ** 2
            (2, 0.5, (0.45, 0.4), 1.0),  # 0.9 * 0.5 and 0.8 * 0.5
            (3, 0.6, (0.486, 0.256), 0.96),  # 0.81 * 0.6 and 0.64 * 0.4; 1 - 4 * 0.1 ** 2
        ],
    ):
        outcome = metrics.outcome(*deal(round, share), definition)
        assert outcome.gains == pytest.approx(gains), (definition, round, share)
        assert outcome.efficiency == pytest.approx(sum(gains)), (definition, round, share)
        assert outcome.fairness == pytest.approx(fairness), (definition, round, share)
        assert outcome.agreed is True, (definition, round, share)


def test_no_agreement() -> None:
    """The paper: nothing for anybody, and that is fair. Its code: as if Bob had been given everything."""
    for horizon, delta, left in [
        (1, (0.9, 0.8), 1.0),
        (2, (0.9, 0.8), 0.8),
        (3, (0.9, 0.8), 0.64),
        (3, (0.1, 1.0), 1.0),  # Alice's patience does not matter in the code
    ]:
        position = breakdown(horizon, delta)
        assert metrics.outcome(*position) == Outcome((0.0, 0.0), 0.0, 1.0, False), (horizon, delta, left)
        told = metrics.outcome(*position, "glee-code")
        assert told.gains == pytest.approx((0.0, left)), (horizon, delta)
        assert (told.efficiency, told.fairness, told.agreed) == (pytest.approx(left), 0.0, False), (horizon, delta)


def test_the_paper_is_the_default_and_the_code_an_option_of_the_environment() -> None:
    told = {}
    for definition in metrics.DEFINITIONS:
        env = econzoo.make("bargaining", horizon=1, face="structured", metrics=definition)
        env.reset()
        env.step({"kind": "offer", "gain": 9000})
        env.step({"kind": "reject"})
        told[definition] = env.outcome()
        assert env.payoffs == (0.0, 0.0), "the definition of the metrics never changes a payoff"
        assert env.outcome("paper") == Outcome((0.0, 0.0), 0.0, 1.0, False)
    assert told["paper"].efficiency == 0.0
    assert told["glee-code"].efficiency == 1.0
    assert econzoo.make("bargaining").options.metrics == "paper"


def test_an_unknown_definition_is_refused() -> None:
    for definition in ("", "Paper", "glee", None, 3):
        with refuses(ValueError, repr(definition), "paper", "glee-code"):
            econzoo.make("bargaining", metrics=definition)


SHARE = st.floats(0, 1)
DELTA = st.floats(0, 1, exclude_min=True)


@given(round=st.integers(1, 50), share=SHARE, delta=st.tuples(DELTA, DELTA), money=st.floats(0.01, 1e12))
def test_metrics_stay_in_range_and_do_not_depend_on_the_currency(
    round: int, share: float, delta: tuple[float, float], money: float
) -> None:
    outcome = metrics.outcome(*deal(round, share, delta, money))
    assert all(-1e-12 <= gain <= 1 + 1e-12 for gain in outcome.gains)
    assert -1e-12 <= outcome.efficiency <= 1 + 1e-12
    assert -1e-12 <= outcome.fairness <= 1
    in_cents = metrics.outcome(*deal(round, share, delta, money * 100))
    assert in_cents.gains == pytest.approx(outcome.gains, abs=1e-12)
    assert in_cents.fairness == pytest.approx(outcome.fairness, abs=1e-9)


@given(share=SHARE, delta=DELTA)
def test_delay_costs_efficiency_and_never_fairness(share: float, delta: float) -> None:
    told = [metrics.outcome(*deal(round, share, (delta, delta))) for round in (1, 3, 5)]
    assert [x.efficiency for x in told] == pytest.approx([1, delta**2, delta**4])
    assert len({x.fairness for x in told}) == 1
