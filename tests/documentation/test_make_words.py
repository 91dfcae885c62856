"""The script behind the page on words: what it can find, what readings earn, and how readers learn."""

from __future__ import annotations

import runpy
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import econzoo
from econzoo.baselines.bargaining.talk import infer_type, sentences
from econzoo.evaluate.stats import quantile

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_words.py"))
SPLIT = "validation"
SIZES = {"training": 96, "validation": 16, "test": 40}


@pytest.mark.parametrize("together", [0.0, 1.0])
def test_a_share_that_can_be_found_is_found_four_times_in_five(together: float):
    pairs, draws, rng = 40, 20_000, np.random.default_rng(1)
    q = SCRIPT["least_share"](pairs, together)
    first, second = (rng.random((2, draws, pairs)) < q).astype(float)
    gaps = 0.2 * (first + (first if together else second) - 1.0)
    t = gaps.mean(axis=1) / (gaps.std(axis=1, ddof=1) / np.sqrt(pairs))
    assert np.mean(np.abs(t) > quantile(0.975, pairs - 1)) == pytest.approx(0.8, abs=0.06)
    assert SCRIPT["least_share"](4 * pairs, together) - 0.5 == pytest.approx((q - 0.5) / 2, rel=0.05)


def test_gains_are_those_of_matches():
    """A bag of words hears each pair of sentences from both types, and the strong one's from a weak sender who lies."""
    lines = sentences(SPLIT)
    right = np.array([[infer_type(one) == type for one in lines[type]] for type in lines])
    for lies in (0.0, 0.25, 0.5):
        played = []
        for place in range(right.shape[1]):
            said = {type: f"sender({type!r}, {SPLIT!r}, {place})" for type in lines}
            said["liar"] = f"sender('weak', {SPLIT!r}, {place}, 'strong')"
            own = {
                who: econzoo.play("bargaining", [spec, "receiver"], **SCRIPT["SETTINGS"]["cheap-talk"]).metrics[
                    "gains"
                ][1]
                for who, spec in said.items()
            }
            played.append((own["strong"] + (1 - lies) * own["weak"] + lies * own["liar"]) / 2)
        assert SCRIPT["gain"](right, lies) == pytest.approx(played), lies


def test_who_lies_when_it_pays_in_equilibrium():
    for lies in (0.1, 0.5, 0.9):
        ((words, taken, value),) = SCRIPT["equilibria"](lies)
        assert (words, taken) == ("strong", {"weak": "weak", "strong": "strong"})
        assert value == pytest.approx(0.6 - 0.2 * lies)
    every = SCRIPT["equilibria"](1.0)
    assert len(every) > 1  # babbling among them: nothing said is worth anything
    assert all(value == pytest.approx(0.4) for _, _, value in every)


def test_rows_name_what_is_met_and_what_is_not():
    near, far = np.ones((3, 2, 100)), np.ones((3, 2, 100))
    for seed in range(3):  # one, two and three misread sentences, or thirty times as many
        near[seed, 0, : seed + 1], far[seed, 0, : 30 * seed + 30] = 0.0, 0.0
    for reward, said in ((near, "above -0.05"), (far, "NOT above -0.05")):
        rows = list(SCRIPT["rows"]({"probe": np.ones((2, 100))}, {"reward": reward}, 0.0))
        assert f"; {said} by both" in rows[-1]


def test_a_logistic_regression_is_at_its_optimum():
    """Where the loss is least, residuals are orthogonal to the intercept, and to inputs up to the penalty."""
    rng = np.random.default_rng(3)
    inputs, weak = np.column_stack([rng.normal(size=(60, 4)), np.ones(60)]), rng.random(60) < 0.4
    w = SCRIPT["logistic_regression"](inputs, weak, 0.5)
    residuals = weak - 1 / (1 + np.exp(-(inputs @ w)))
    assert 0.5 * inputs.T @ residuals == pytest.approx([*w[:-1], 0.0], abs=1e-3)


def test_a_policy_learns_from_what_its_answers_earn():
    """One input says the type: rejecting the weak and accepting the strong pays, and of liars' words the same."""
    inputs = np.column_stack([np.repeat([1.0, -1.0], 5), np.ones(10)])
    for lies, seed in product((0.0, 0.5), (1, 2)):
        *_, w = SCRIPT["policy_gradient"](40 * inputs, SCRIPT["earnings"](), lies, seed)
        assert (inputs @ w > 0).tolist() == [True] * 5 + [False] * 5, (lies, seed)


def test_probes_that_tie_in_the_validation_are_all_told():
    """Two layers know the type, the third one does not; pooled by the mean alone."""
    rng = np.random.default_rng(0)
    states = {split: rng.normal(size=(3, 2, 2 * size, 5)) for split, size in SIZES.items()}
    for split, size in SIZES.items():
        states[split][:2, 0, :, 2] += np.repeat([9.0, -9.0], size)
    best, right = SCRIPT["probe"](states)
    assert best.startswith("32 of 32")
    assert best.count("layer") == 2 * len(SCRIPT["STRENGTHS"])
    assert "last" not in best
    assert "layer 2" not in best
    assert right["test"].shape == (2, 40)
    assert right["test"].all()
