"""The script behind the page on words: what it can find, and that its arms are what it says."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from econzoo.baselines.bargaining.talk import infer_type, sentences
from econzoo.evaluate.stats import quantile

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "make_words.py"))
SPLIT = "validation"


@pytest.mark.parametrize("together", [0.0, 1.0])
def test_a_share_that_can_be_found_is_found_four_times_in_five(together: float):
    pairs, draws, rng = 40, 20_000, np.random.default_rng(1)
    q = SCRIPT["least_share"](pairs, together)
    first, second = (rng.random((2, draws, pairs)) < q).astype(float)
    gaps = 0.2 * (first + (first if together else second) - 1.0)
    t = gaps.mean(axis=1) / (gaps.std(axis=1, ddof=1) / np.sqrt(pairs))
    assert np.mean(np.abs(t) > quantile(0.975, pairs - 1)) == pytest.approx(0.8, abs=0.06)
    assert SCRIPT["least_share"](4 * pairs, together) - 0.5 == pytest.approx((q - 0.5) / 2, rel=0.05)


def test_gains_of_the_arms_without_a_model(tmp_path: Path):
    gains, answers = SCRIPT["measured"]([], SPLIT, tmp_path)
    right = np.mean([[infer_type(one) == type for one in lines] for type, lines in sentences(SPLIT).items()], axis=0)
    assert answers == {}
    assert gains["oracle", "true"] == pytest.approx(np.full(len(right), 0.6))
    assert gains["receiver", "true"] == pytest.approx(0.2 + 0.4 * right)
    assert gains["receiver", "exchanged"] == pytest.approx(0.2 + 0.4 * (1.0 - right))
    assert gains["receiver", "none"] == pytest.approx(np.full(len(right), 0.4))


def test_a_player_that_is_given_is_paired_with_both_bounds(tmp_path: Path):
    weak = "receiver('weak')"  # the oracle's where it is right
    gains, answers = SCRIPT["measured"]([weak], SPLIT, tmp_path)
    pairs = len(sentences(SPLIT)["weak"])
    for arm in ("true", "exchanged", "none"):
        assert gains["model", arm] == pytest.approx(np.full(pairs, 0.4)), arm  # 0.8, and nothing
    assert gains["oracle", "true"] == pytest.approx(np.full(pairs, 0.6))
    assert answers == {weak: (2 * 2 * (2 * pairs + 1),) * 2}  # two answers to each type
    assert "model with true words less receiver" in "\n".join(SCRIPT["rows"](gains, [weak]))


def test_a_logistic_regression_is_at_its_optimum():
    """Where the loss is least, residuals are orthogonal to the intercept, and to inputs up to the penalty."""
    rng = np.random.default_rng(3)
    inputs, weak = rng.normal(size=(60, 4)), rng.random(60) < 0.4
    w = SCRIPT["logistic_regression"](inputs, weak, 0.5)
    residuals = weak - 1 / (1 + np.exp(-(inputs @ w[:-1] + w[-1])))
    assert residuals.sum() == pytest.approx(0.0, abs=1e-3)
    assert 0.5 * inputs.T @ residuals == pytest.approx(w[:-1], abs=1e-3)


def test_probes_that_tie_in_the_validation_are_all_told(monkeypatch: pytest.MonkeyPatch):
    """Two layers know the type, the third one does not; pooled by the mean alone."""
    sizes, rng = {"training": 96, "validation": 16, "test": 40}, np.random.default_rng(0)

    def states(loaded: object, split: str) -> np.ndarray:
        found = rng.normal(size=(3, 2, 2 * sizes[split], 5))
        found[:2, 0, :, 2] += np.repeat([9.0, -9.0], sizes[split])
        return found

    monkeypatch.setitem(SCRIPT["probe"].__globals__, "hidden_states", states)
    found = SCRIPT["probe"](None, "test")
    assert {(name.partition(",")[0].split()[1], name.split(", ")[1]) for name in found} == {
        ("0", "mean"),
        ("1", "mean"),
    }
    assert len(found) == 2 * len(SCRIPT["STRENGTHS"])
    assert all(right.shape == (2, 40) and right.all() for right in found.values())
