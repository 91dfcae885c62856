"""How well models predict a metric from the features: root mean square errors on held-out matches (table 9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from econzoo.evaluate.analyses.regression.design import Design

TEST_SHARE = 0.2
MIN_MATCHES = 10
"""Matches that a comparison needs."""

TREES = 100
"""Of the models of trees; all other settings are their libraries' own."""

Predictor = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]
"""(training features, training values, test features, seed) to predictions."""


class Score(NamedTuple):
    """Errors of one model on one metric.

    Attributes:
        family: Name of the game.
        metric: Column of the observations.
        model: ``mean`` (of the training matches), ``linear``, or one of `LEARNERS`.
        rmse: Mean over the splits.
        rmse_2_5: The 2.5th percentile over the splits: how much the split matters, no confidence interval.
        rmse_97_5: The 97.5th.
        splits: How many.
        n_train: Matches to learn from.
        n_test: Matches to predict.
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
    # The solution of least norm: a level that no training match has gets the effect 0.
    return np.asarray(test @ np.linalg.lstsq(train, y, rcond=None)[0])


def predict_xgboost(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int, **settings: Any) -> np.ndarray:
    """Predictions of XGBoost.

    Args:
        train: Features to learn from, shape (rows, features).
        y: Their values, shape (rows,).
        test: Features to predict from.
        seed: Of the library.
        **settings: Of the library, in the place of its own.
    """
    # Its own interface: the one like scikit-learn's needs scikit-learn.
    xgboost = import_module("xgboost")
    model = xgboost.train({"seed": seed, "nthread": 1, **settings}, xgboost.DMatrix(train, y), TREES)
    return np.asarray(model.predict(xgboost.DMatrix(test)))


def _xgboost(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    return predict_xgboost(train[:, 1:], y, test[:, 1:], seed)


def _catboost(train: np.ndarray, y: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    if np.ptp(y) == 0:  # it refuses values that are all the same
        return _mean(train, y, test, seed)
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    model = import_module("catboost").CatBoostRegressor(iterations=TREES, random_seed=seed, **quiet)
    return np.asarray(model.fit(train[:, 1:], y).predict(test[:, 1:]))


LEARNERS: dict[str, tuple[str, Predictor]] = {"XGBoost": ("xgboost", _xgboost), "CatBoost": ("catboost", _catboost)}
"""Models of other libraries: what must be installed, and how they predict."""


def missing_models() -> list[str]:
    """Models whose library is not installed."""
    return [name for name, (module, _) in LEARNERS.items() if find_spec(module) is None]


def predictors() -> dict[str, Predictor]:
    """All models that are installed."""
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
    """Errors of all models over random splits of the matches, 80 to learn from and 20 to predict of every 100.

    Args:
        family: Name of the game.
        metric: Name of the values.
        design: Features of every match.
        y: Values of every match.
        splits: How many; the seeds are 0, 1, 2, ... and the same for all models.
        models: See `predictors`; None: these.
        advance: Told of every split.

    Returns:
        One `Score` for each model; none with too few matches, without splits or without features.
    """
    models = predictors() if models is None else models
    if len(y) < MIN_MATCHES or splits < 1 or not design.columns:
        return []
    held = max(1, round(TEST_SHARE * len(y)))
    errors: dict[str, list[float]] = {name: [] for name in models}
    for seed in range(splits):
        order = np.random.default_rng(seed).permutation(len(y))
        test, train = order[:held], order[held:]
        for name, predict in models.items():
            guess = predict(design.matrix[train], y[train], design.matrix[test], seed)
            errors[name].append(float(np.sqrt(np.mean((guess - y[test]) ** 2))))
        advance(1)
    return [_score(family, metric, name, found, len(y) - held, held) for name, found in errors.items()]


def _score(family: str, metric: str, model: str, errors: Sequence[float], train: int, test: int) -> Score:
    low, high = np.quantile(errors, [0.025, 0.975])
    return Score(family, metric, model, float(np.mean(errors)), float(low), float(high), len(errors), train, test)
