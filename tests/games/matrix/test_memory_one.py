"""Strategies that remember one round: known payoffs, zero-determinant strategies, and matches that are played."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econzoo.envs.games.matrix.memory_one import STRATEGIES, memory_one_payoffs, outcome_chain, outcome_shares
from econzoo.envs.games.matrix.tables import TABLES, swap_seats
from exhaustive import examples
from refusals import refuses

PD = TABLES["prisoners-dilemma"]
LOPSIDED = (3.0, 0.0, 5.0, 1.0, 6.0, 8.0, 0.0, 2.0)
STRATEGY = st.lists(st.sampled_from([0.0, 1.0, 0.5, 1 / 3]), min_size=4, max_size=4)
"""Sure and mixed moves, so that chains are periodic, absorbing or neither."""

LONG_RUN = [
    # row, column: points a round of both, both beginning with C
    ("cooperate", "cooperate", 3, 3),
    ("defect", "cooperate", 5, 0),
    ("tit-for-tat", "defect", 1, 1),
    ("tit-for-tat", "cooperate", 3, 3),
    ("win-stay-lose-shift", "defect", 0.5, 3),  # C and D in turns against D
    ("grim", "win-stay-lose-shift", 3, 3),
]


def test_the_long_run_of_well_known_strategies() -> None:
    for row, column, first, second in LONG_RUN:
        assert memory_one_payoffs(STRATEGIES[row], STRATEGIES[column], PD) == pytest.approx((first, second))


NOISY = [
    # row, column: what both get a round as noise vanishes (Nowak and Sigmund 1993)
    ("tit-for-tat", "tit-for-tat", 2.25, 2.25),  # CC, DD, and turns, all as often: (3 + 1 + 5 + 0) / 4
    ("win-stay-lose-shift", "win-stay-lose-shift", 3, 3),  # an error is mended after one DD
    ("grim", "grim", 1, 1),
    ("win-stay-lose-shift", "cooperate", 4, 1.5),  # after an error it stays with D against one who never answers, or C
]


def test_a_little_noise_tells_strategies_apart() -> None:
    for row, column, first, second in NOISY:
        paid = memory_one_payoffs(STRATEGIES[row], STRATEGIES[column], PD, noise=1e-7)
        assert paid == pytest.approx((first, second), abs=1e-4), (row, column)


def test_an_extortioner_takes_its_multiple_of_every_gain() -> None:
    """Press and Dyson (2012), equation 9: s_row - P = chi (s_column - P); here for the table 5, 3, 1, 0."""
    for chi, column in product((2.0, 3.0, 10.0), ((0.7, 0.2, 0.6, 0.4), (1.0, 1.0, 1.0, 1.0), (0.9, 0.5, 0.5, 0.1))):
        phi = 1 / (4 * chi + 1)  # the largest for which all four are probabilities, as the last line asserts
        row = (1 - 2 * phi * (chi - 1), 1 - phi * (4 * chi + 1), phi * (chi + 4), 0.0)
        first, second = memory_one_payoffs(row, column, PD)
        assert first - 1 == pytest.approx(chi * (second - 1)), column
        assert all(0 <= p <= 1 for p in row), (chi, column)


def test_a_strategy_can_fix_the_points_of_the_other() -> None:
    """Press and Dyson (2012), equation 8, p = (3/4, 1/4, 1/2, 1/4): the other gets 2, whatever it does."""
    for column in ((1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.0), (0.3, 0.9, 0.1, 0.6)):
        assert memory_one_payoffs((0.75, 0.25, 0.5, 0.25), column, PD)[1] == pytest.approx(2.0)


FINITE = [
    # rounds, row, column: totals by hand
    (1, "tit-for-tat", "defect", (0, 5)),
    (4, "tit-for-tat", "defect", (3, 8)),  # 0 + 1 + 1 + 1, 5 + 1 + 1 + 1
    (3, "win-stay-lose-shift", "defect", (1, 11)),  # C, D, C
    (10, "grim", "grim", (30, 30)),
]


def test_matches_of_a_few_rounds() -> None:
    for rounds, row, column, totals in FINITE:
        first = (1.0, float(column != "defect"))
        paid = memory_one_payoffs(STRATEGIES[row], STRATEGIES[column], PD, initial_cooperation=first, rounds=rounds)
        assert np.multiply(paid, rounds) == pytest.approx(totals), (row, column)


def expected(row: Any, column: Any, noise: float, first: Any, rounds: int) -> np.ndarray:
    """Expected points in all rounds by following every way that a match can go, with its probability."""
    total, cells = np.zeros(2), list(product((0, 1), (0, 1)))
    ways = {((), ()): 1.0}
    for turn in range(rounds):
        after: dict[Any, float] = {}
        for (mine, yours), chance in ways.items():
            if turn == 0:
                p, q = first
            else:
                p, q = row[2 * mine[-1] + yours[-1]], column[2 * yours[-1] + mine[-1]]
            p, q = (x * (1 - noise) + (1 - x) * noise for x in (p, q))
            for a, b in cells:
                now = chance * (1 - p if a else p) * (1 - q if b else q)
                total += now * np.array([LOPSIDED[2 * a + b], LOPSIDED[4 + 2 * a + b]])
                after[(*mine, a), (*yours, b)] = now
        ways = after
    return total / rounds


@settings(max_examples=40, deadline=None)
@given(row=STRATEGY, column=STRATEGY, noise=st.sampled_from([0.0, 0.1, 0.5]), rounds=st.integers(1, 5))
def test_a_few_rounds_are_those_of_a_tree_of_all_ways(row: Any, column: Any, noise: float, rounds: int) -> None:
    wanted = expected(row, column, noise, (0.25, 1.0), rounds)
    assert memory_one_payoffs(
        row, column, LOPSIDED, noise, initial_cooperation=(0.25, 1.0), rounds=rounds
    ) == pytest.approx(wanted)


@examples(20)
@given(row=STRATEGY, column=STRATEGY, first=st.sampled_from([(1.0, 1.0), (0.0, 1.0), (0.5, 0.25)]))
def test_the_long_run_is_where_ever_more_rounds_lead(row: Any, column: Any, first: Any) -> None:
    """The mean of n rounds is off by a constant over n at most, also where play is periodic or settles by chance.

    What settles by chance does so within some hundreds of rounds, as two rare events of 1/9 may have to meet.
    """
    limit = memory_one_payoffs(row, column, LOPSIDED, initial_cooperation=first)
    paid = memory_one_payoffs(row, column, LOPSIDED, initial_cooperation=first, rounds=10_000)
    assert paid == pytest.approx(limit, abs=0.2)


@settings(max_examples=60, deadline=None)
@given(row=STRATEGY, column=STRATEGY, noise=st.sampled_from([0.0, 0.05]))
def test_exchanged_seats_exchange_the_points(row: Any, column: Any, noise: float) -> None:
    paid = memory_one_payoffs(row, column, LOPSIDED, noise)
    assert memory_one_payoffs(column, row, swap_seats(LOPSIDED), noise) == pytest.approx(paid[::-1])


def test_matches_that_are_played_earn_what_the_chain_says() -> None:
    """20,000 rounds of generous tit for tat against win-stay lose-shift with noise, by dice."""
    row, column, noise, rng = (
        (1.0, 1 / 3, 1.0, 1 / 3),
        STRATEGIES["win-stay-lose-shift"],
        0.05,
        np.random.default_rng(7),
    )
    rounds, mine, yours, points = 20_000, 0, 0, np.zeros((20_000, 2))
    for turn in range(rounds):
        chances = (row[2 * mine + yours], column[2 * yours + mine]) if turn else (1.0, 1.0)
        flips = rng.random(4)
        mine = int(flips[0] >= chances[0]) ^ int(flips[1] < noise)
        yours = int(flips[2] >= chances[1]) ^ int(flips[3] < noise)
        points[turn] = PD[2 * mine + yours], PD[4 + 2 * mine + yours]
    means = points.reshape(200, 100, 2).mean(1)  # blocks are long, so that they are nearly independent
    error = means.std(0, ddof=1) / np.sqrt(len(means))
    assert (abs(points.mean(0) - memory_one_payoffs(row, column, PD, noise)) < 4 * error).all()


def test_two_grudgers_settle_by_how_they_begin() -> None:
    grim = STRATEGIES["grim"]
    for first, paid in (((1.0, 1.0), 3.0), ((0.0, 0.0), 1.0), ((0.5, 1.0), 2.0)):
        assert memory_one_payoffs(grim, grim, PD, initial_cooperation=first) == pytest.approx((paid, paid))


def test_shares_of_outcomes_sum_to_one() -> None:
    chain = outcome_chain((0.9, 0.1, 0.8, 0.2), STRATEGIES["tit-for-tat"], 0.01)
    assert chain.sum(1) == pytest.approx(np.ones(4))
    assert outcome_shares(chain, np.full(4, 0.25)).sum() == pytest.approx(1.0)


def test_bad_arguments_are_named() -> None:
    for wrong, *told in [
        ({"row": (1.0, 0.0, 1.0)}, "row", (1.0, 0.0, 1.0)),
        ({"column": (1.0, 0.0, 1.0, 1.1)}, "column", (1.0, 0.0, 1.0, 1.1)),
        ({"noise": 0.7}, "noise", 0.7, 0, 0.5),
        ({"table": PD[:4]}, "table"),
        ({"initial_cooperation": (1.0,)}, "initial_cooperation", (1.0,)),
        ({"rounds": 0}, "rounds", 0, None, 1, 10000),
    ]:
        arguments = {"row": STRATEGIES["grim"], "column": STRATEGIES["grim"], "table": PD, **wrong}
        with refuses(ValueError, *told):
            memory_one_payoffs(**arguments)
