"""The lower bound on what a learned best response earns: a one-sided interval over paired matches."""

from __future__ import annotations

import numpy as np
import pytest

from econzoo.train.rl.best_response import MATCHES, lower_end

REPEATS = 20_000

DIFFERENCES = {
    "normal": lambda rng, shape: rng.normal(0.02, 0.1, shape),
    "a deal more in one match of ten": lambda rng, shape: 0.5 * (rng.random(shape) < 0.1),
    "a loss in one match of ten": lambda rng, shape: -0.5 * (rng.random(shape) < 0.1),
    "uniform shares": lambda rng, shape: rng.random(shape),
}
TRUE = {
    "normal": 0.02,
    "a deal more in one match of ten": 0.05,
    "a loss in one match of ten": -0.05,
    "uniform shares": 0.5,
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_bound_is_above_the_truth_in_one_case_of_forty(name: str) -> None:
    """Nominally 2.5%, also of payoffs as skew as those of deals that come about in one match of ten."""
    ends = lower_end(DIFFERENCES[name](np.random.default_rng(1), (MATCHES, REPEATS)))
    above = float((ends > TRUE[name]).mean())
    assert 0.02 <= above <= 0.03


def test_matches_that_are_all_alike_leave_no_doubt() -> None:
    assert lower_end(np.full((MATCHES, 2), [0.1, 0.0])) == pytest.approx([0.1, 0.0])
