"""Metrics of negotiation: the paper's definition by hand, and where the paper's public code differs."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import UNKNOWN
from econzoo.envs.games.negotiation import metrics
from econzoo.envs.games.negotiation.rules import NOBODY, Params, State


def market(seller: float, buyer: float, money: float = 100.0) -> Params:
    return Params(money, (seller * money, buyer * money), 10, True, True, True)


def trade(x: float, round: int = 1, money: float = 100.0) -> State:
    """A trade at x times the scale."""
    price = (x * money, UNKNOWN) if round % 2 else (1e6, x * money)
    return State(round, False, price, True, NOBODY, True)


LAST_REJECT = State(10, False, (110.0, 105.0), False, NOBODY, True)
OPTED_OUT = State(1, False, (110.0, UNKNOWN), False, 1, True)

# values of seller and buyer, price (all in parts of the scale), self-gains, fairness, efficiency by paper and by code
TRADES = [
    ((1.0, 1.2), 1.1, (0.1, 0.1), 1.0, 1, 1),
    ((1.0, 1.2), 1.2, (0.2, 0.0), 0.96, 1, 1),  # 1 - 4 * 0.1 ** 2; the edge of the zone belongs to it
    ((1.0, 1.2), 1.0, (0.0, 0.2), 0.96, 1, 1),
    ((0.8, 1.5), 1.5, (0.7, 0.0), 0.51, 1, 1),  # 1 - 4 * 0.35 ** 2
    ((1.0, 1.2), 1.3, (0.3, -0.1), 0.84, 0, 1),  # the buyer loses: the paper says no, its code does not look
    ((1.0, 1.2), 0.6, (-0.4, 0.6), 0.0, 0, 1),  # 1 - 4 * 0.5 ** 2
    ((1.0, 1.2), 3.1, (2.1, -1.9), -15.0, 0, 1),  # fairness knows no lower bound
    ((1.0, 1.0), 1.0, (0.0, 0.0), 1.0, 1, 1),  # equal values: a trade at that price is as good as none
    ((1.0, 1.0), 1.1, (0.1, -0.1), 0.96, 0, 1),  # ... but not at another one; for the code all is efficient
    ((1.2, 1.0), 1.1, (-0.1, -0.1), 1.0, 0, 0),  # no zone of agreement: the good was worth more where it was
    ((1.2, 1.0), 1.0, (-0.2, 0.0), 0.96, 0, 0),
]


def test_a_trade() -> None:
    for round, (values, x, gains, fairness, paper, code) in product((1, 2, 9), TRADES):
        for definition, efficiency in zip(metrics.DEFINITIONS, (paper, code), strict=True):
            outcome = metrics.outcome(market(*values), trade(x, round), definition)
            assert outcome.gains == pytest.approx(gains, abs=1e-12), (round, values, x)
            assert outcome.fairness == pytest.approx(fairness, abs=1e-9), (round, values, x)
            assert outcome.efficiency == efficiency, (round, values, x)
            assert outcome.agreed is True, (round, values, x)


def test_no_trade() -> None:
    for end, (values, paper, code) in product(
        (LAST_REJECT, OPTED_OUT),
        [
            ((1.0, 1.2), 0, 0),  # something was left on the table
            ((1.0, 1.0), 1, 1),  # nothing was
            ((1.2, 1.0), 1, 1),  # rightly so
        ],
    ):
        for definition, efficiency in zip(metrics.DEFINITIONS, (paper, code), strict=True):
            outcome = metrics.outcome(market(*values), end, definition)
            assert outcome == ((0.0, 0.0), efficiency, 1.0, False), (end, values, paper)


def test_the_paper_is_the_default_and_the_code_an_option_of_the_environment() -> None:
    told = {}
    for definition in metrics.DEFINITIONS:
        env = econzoo.make("negotiation", face="structured", metrics=definition)
        env.reset()
        env.step({"kind": "offer", "price": 13_000})
        env.step({"kind": "accept"})
        told[definition] = env.outcome().efficiency
        assert env.payoffs == (3000.0, -1000.0), "the definition of the metrics never changes a payoff"
    assert told == {"paper": 0.0, "glee-code": 1.0}
    assert econzoo.make("negotiation").options.metrics == "paper"


def test_rounding_is_no_inefficiency() -> None:
    """A price of twelve digits can lie a hair outside of a zone whose ends have more."""
    third = market(1 / 3, 2 / 3)
    assert metrics.outcome(third, trade(0.666666666667)).efficiency == 1.0
    assert metrics.outcome(third, trade(0.66667)).efficiency == 0.0


VALUES = st.floats(0.0, 3.0)


@given(VALUES, VALUES, st.floats(0.0, 3.0), st.sampled_from([0.01, 1.0, 1e6]))
def test_metrics_do_not_depend_on_the_currency(seller, buyer, x, money) -> None:
    one = metrics.outcome(market(seller, buyer, 1.0), trade(x, money=1.0))
    other = metrics.outcome(market(seller, buyer, money), trade(x, money=money))
    assert other.gains == pytest.approx(one.gains, abs=1e-9)
    assert other.fairness == pytest.approx(one.fairness, abs=1e-9)


@given(VALUES, VALUES, VALUES)
def test_where_the_paper_calls_a_trade_efficient_so_does_the_code_and_nobody_loses(seller, buyer, x) -> None:
    paper, code = (metrics.outcome(market(seller, buyer), trade(x), d) for d in metrics.DEFINITIONS)
    assert paper.fairness <= 1.0
    if paper.efficiency:
        assert min(paper.gains) >= -1e-8
        if seller + 1e-8 < buyer:
            assert code.efficiency == 1.0
    elif code.efficiency:
        assert min(paper.gains) < 0.0
