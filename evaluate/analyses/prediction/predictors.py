"""Predictors trained on decisions: base rates, agreement with theory or a script, a logit, gradient boosting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from econzoo.evaluate.analyses.prediction.decisions import Decision
from econzoo.evaluate.analyses.regression import predict_xgboost

FREQUENCY, RATIONAL, LOGIT, BOOSTING = "frequency", "rational", "logit", "boosting"

THEORY = {"bargaining": "spe", "negotiation": "spe", "persuasion": "bayes"}
"""Rational player by game: the subgame-perfect equilibrium, or the Bayesian buyer."""

PRIOR = 5.0
"""Weight of the overall rate, in decisions, when estimating the rate of a round."""

PENALTY = 1.0
"""Ridge penalty of the logit: PENALTY / 2 times the sum of squared coefficients of standardised regressors is added to
the total log loss."""

MAX_STEPS, STEP_TOLERANCE = 100, 1e-10

BOOSTING_OPTIONS = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.1}
"""Hyperparameters of gradient boosting; the defaults of the library overfit random choices."""

Predictor = Callable[[Sequence[Decision], Sequence[Decision], int], np.ndarray | None]
"""(training decisions, test decisions, seed) to probabilities of yes; None if not applicable."""


def _outcomes(decisions: Sequence[Decision]) -> np.ndarray:
    return np.array([one.yes for one in decisions], float)


def frequency(train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray:
    """Predict the share of yes in the same round, shrunk towards the overall rate."""
    count, yes = Counter(one.round for one in train), Counter(one.round for one in train if one.yes)
    overall = rate(_outcomes(train))
    return np.array([(yes[one.round] + PRIOR * overall) / (count[one.round] + PRIOR) for one in test])


def rate(yes: np.ndarray) -> float:
    """Return the share of yes with half a case added on both sides, so that it is never 0 or 1."""
    return float((yes.sum() + 0.5) / (len(yes) + 1))


def script_frequency(at: int, train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray | None:
    """Predict the share of yes given the choice of a script.

    Args:
        at: Index of the script in `Decision.script_answers`.
    """
    # A script that cannot take the seat of some decision has no prediction of the task.
    train_answers, test_answers = ([one.script_answers[at] for one in part] for part in (train, test))
    if None in train_answers or None in test_answers:
        return None
    yes, script = _outcomes(train), np.array(train_answers, bool)
    return np.where(np.array(test_answers, bool), rate(yes[script]), rate(yes[~script]))


def logit(train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray:
    """Predict by a ridge-penalized logit on the numeric observation, fitted by Newton's method."""
    (matrix, others), yes = numbers_of(train, test), _outcomes(train)
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0)
    varying = spread > 1e-9  # a constant has no standard deviation to divide by, up to rounding

    def regressors(part: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(part)), (part[:, varying] - mean[varying]) / spread[varying]])

    x = regressors(matrix)
    # The intercept has no penalty: without informative numbers the prediction is the base rate, where Newton's method
    # starts.
    penalty = np.diag([0.0, *[PENALTY] * (x.shape[1] - 1)])
    coefficients = np.r_[np.log(rate(yes) / (1 - rate(yes))), np.zeros(x.shape[1] - 1)]
    for _ in range(MAX_STEPS):
        probability = _logistic(x @ coefficients)
        gradient = x.T @ (yes - probability) - penalty @ coefficients
        # The floor keeps the matrix well conditioned where the numbers tell every decision, and probabilities reach 0
        # and 1.
        hessian = (x * np.maximum(probability * (1 - probability), 1e-6)[:, None]).T @ x + penalty
        step = np.linalg.solve(hessian, gradient)
        coefficients = coefficients + step
        if np.abs(step).max() < STEP_TOLERANCE:
            break
    return _logistic(regressors(others) @ coefficients)


def _logistic(value: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(value / 2)))  # as 1 / (1 + exp(-value)), which may overflow


def boosting(train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray:
    """Predict by gradient boosting on the same regressors, with XGBoost."""
    matrix, others = numbers_of(train, test)
    return predict_xgboost(matrix, _outcomes(train), others, seed, **BOOSTING_OPTIONS)


def numbers_of(train: Sequence[Decision], test: Sequence[Decision]) -> tuple[np.ndarray, np.ndarray]:
    """Return the round and numeric observations, shape (decisions, numbers), padded with 0."""
    # Settings of a game may have observations of different lengths.
    width = max(len(one.numbers) for one in (*train, *test))
    rows = [(one.round, *one.numbers, *[0.0] * (width - len(one.numbers))) for one in (*train, *test)]
    matrix = np.array(rows, float)
    return matrix[: len(train)], matrix[len(train) :]


def has_boosting() -> bool:
    """Return whether XGBoost is installed."""
    return find_spec("xgboost") is not None


def predictors(game: str, scripts: Sequence[str]) -> dict[str, Predictor]:
    """Return the predictors of a game by name.

    Args:
        scripts: Specs of scripted players, in the order of `Decision.script_answers`.
    """
    own = THEORY.get(game)
    rational = {RATIONAL: partial(script_frequency, scripts.index(own))} if own in scripts else {}
    others: dict[str, Any] = {spec: partial(script_frequency, at) for at, spec in enumerate(scripts) if spec != own}
    found: dict[str, Predictor] = {FREQUENCY: frequency, **rational, **others, LOGIT: logit}
    return {**found, BOOSTING: boosting} if has_boosting() else found
