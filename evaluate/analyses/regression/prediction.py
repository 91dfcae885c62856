"""Prediction of metrics from features: root mean square error on held-out matches (table 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from econzoo.evaluate.analyses.regression.design import Design

TEST_SHARE = 0.2
MIN_MATCHES = 10

TREES = 100
"""Number of boosted trees; other hyperparameters are library defaults."""

Predictor = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""(training features, training values, test features, seed) to predictions."""


class Score(NamedTuple):
    """Errors of one model on one metric.

    Attributes:
        rmse_2_5: 2.5th percentile over splits: spread between splits, not a confidence interval.
        rmse_97_5: 97.5th percentile over splits.
    """

    family: str
    metric: str
    model: str
    rmse: float
    rmse_2_5: float
    rmse_97_5: float
    splits: int
    n_train: int
    n_test: int


def _mean(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    return np.full(len(test), y.mean())


def _linear(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    # Minimum-norm solution: levels without training matches get effect 0.
    return np.asarray(test @ np.linalg.lstsq(train, y, rcond=None)[0])


def predict_xgboost(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int, **settings: Any) -> np.ndarray:
    """Return the predictions of XGBoost.

    Args:
        train: Training features, of shape (rows, features).
        y: Training values, of shape (rows,).
    """
    # The native API: the scikit-learn wrapper needs scikit-learn.
    xgboost = import_module("xgboost")
    model = xgboost.train({"seed": seed, "nthread": 1, **settings}, xgboost.DMatrix(train, y), TREES)
    return np.asarray(model.predict(xgboost.DMatrix(test)))


def _xgboost(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    # Without the first column, the constant, on which no tree can split.
    return predict_xgboost(train[:, 1:], y, test[:, 1:], seed)


def _catboost(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    if np.ptp(y) == 0:  # CatBoost rejects constant targets
        return _mean(train, y, test, seed)
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    model = import_module("catboost").CatBoostRegressor(iterations=TREES, random_seed=seed, **quiet)
    return np.asarray(model.fit(train[:, 1:], y).predict(test[:, 1:]))


LEARNERS: dict[str, tuple[str, Predictor]] = {"XGBoost": ("xgboost", _xgboost), "CatBoost": ("catboost", _catboost)}
"""Optional models: required module and predictor."""


def missing_models() -> list[str]:
    """Return the optional models whose library is not installed."""
    return [name for name, (module, _) in LEARNERS.items() if find_spec(module) is None]


def predictors() -> dict[str, Predictor]:
    """Return all installed models."""
    absent = missing_models()
    return {"mean": _mean, "linear": _linear, **{n: p for n, (_, p) in LEARNERS.items() if n not in absent}}


def scores(
    family: str,
    metric: str,
    design: Design,
    y: np.ndarray,
    splits: int,
    models: dict[str, Predictor] | None = None,
    advance: Callable[[int], None] = lambda count: None,
) -> list[Score]:
    """Compute errors of all models over random 80/20 splits of the matches.

    Args:
        splits: Number of splits, with seeds 0, 1, 2, ... shared by all models.
        models: Models; None: `predictors`.

    Returns:
        One `Score` per model; none with too few matches, no splits or no features.
    """
    models = predictors() if models is None else models
    if len(y) < MIN_MATCHES or splits < 1 or not design.columns:
        return []
    test_size = max(1, round(TEST_SHARE * len(y)))
    errors: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(y))
        test, train = order[:test_size], order[test_size:]
        for name, predict in models.items():
            guess = predict(design.matrix[train], y[train], design.matrix[test], seed)
            errors[name].append(float(np.sqrt(np.mean((guess - y[test]) ** 2))))
        advance(1)
    return [_score(family, metric, name, found, len(y) - test_size, test_size) for name, found in errors.items()]


def _score(family: str, metric: str, model: str, errors: Sequence[float], train: int, test: int) -> Score:
    low, high = np.quantile(errors, [0.025, 0.975])
    return Score(family, metric, model, float(np.mean(errors)), float(low), float(high), len(errors), train, test)
