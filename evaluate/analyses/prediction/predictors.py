"""Predictors that learn from decisions: base rates, what theory or a script says, a logit, gradient boosting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from econzoo.evaluate.analyses.prediction.decisions import Decision
from econzoo.evaluate.analyses.regression.prediction import predict_xgboost

FREQUENCY, RATIONAL, LOGIT, BOOSTING = "frequency", "rational", "logit", "boosting"

THEORY = {"bargaining": "spe", "negotiation": "spe", "persuasion": "bayes"}
"""The player whose answer is the rational one, of games that have one: it plays the subgame-perfect equilibrium, or
buys what is worth its price by Bayes' rule."""

PRIOR = 5.0
"""Decisions that the rate over all rounds counts for beside those of a round."""

PENALTY = 1.0
"""Of the logit: half of it times the sum of the squared coefficients, of regressors with variance 1, is added to the
log loss of all decisions."""

MAX_STEPS, STEP_TOLERANCE = 100, 1e-10

BOOSTING_OPTIONS = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.1}
"""Settings of the gradient boosting: those of the library follow noise where a choice is made by chance."""

Predictor = Callable[[Sequence[Decision], Sequence[Decision], int], np.ndarray | None]
"""(decisions to learn from, decisions to predict, seed) to probabilities of yes; None: it cannot say anything here."""


def _outcomes(decisions: Sequence[Decision]) -> np.ndarray:
    return np.array([one.yes for one in decisions], float)


def frequency(train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray:
    """How often yes was said in the same round; where few decisions are of that round, nearer to the rate of all."""
    count, yes = Counter(one.round for one in train), Counter(one.round for one in train if one.yes)
    whole = rate(_outcomes(train))
    return np.array([(yes[one.round] + PRIOR * whole) / (count[one.round] + PRIOR) for one in test])


def rate(yes: np.ndarray) -> float:
    """The share of yes with half a case added on both sides, so that it is never 0 or 1."""
    return float((yes.sum() + 0.5) / (len(yes) + 1))


def script_frequency(at: int, train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray | None:
    """How often yes was said where a script says yes, and where it says no.

    Args:
        at: Place of the script in `Decision.advised`.
        train: To learn from.
        test: To predict.
        seed: Not used.
    """
    learned, asked = ([one.script_answers[at] for one in some] for some in (train, test))
    if None in learned or None in asked:
        return None
    yes, said = _outcomes(train), np.array(learned, bool)
    return np.where(np.array(asked, bool), rate(yes[said]), rate(yes[~said]))


def logit(train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray:
    """A logit in the numbers that the seat knew, with a small penalty, by Newton's method."""
    (matrix, others), yes = numbers_of(train, test), _outcomes(train)
    mean, spread = matrix.mean(axis=0), matrix.std(axis=0)
    kept = spread > 1e-9

    def regressors(part: np.ndarray) -> np.ndarray:
        return np.column_stack([np.ones(len(part)), (part[:, kept] - mean[kept]) / spread[kept]])

    x = regressors(matrix)
    penalty = np.diag([0.0, *[PENALTY] * (x.shape[1] - 1)])
    coefficients = np.r_[np.log(rate(yes) / (1 - rate(yes))), np.zeros(x.shape[1] - 1)]
    for _ in range(MAX_STEPS):
        likely = _logistic(x @ coefficients)
        slope = x.T @ (yes - likely) - penalty @ coefficients
        bend = (x * np.maximum(likely * (1 - likely), 1e-6)[:, None]).T @ x + penalty
        step = np.linalg.solve(bend, slope)
        coefficients = coefficients + step
        if np.abs(step).max() < STEP_TOLERANCE:
            break
    return _logistic(regressors(others) @ coefficients)


def _logistic(value: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(value / 2)))


def boosting(train: Sequence[Decision], test: Sequence[Decision], seed: int) -> np.ndarray:
    """Gradient boosting in the same numbers, by the XGBoost library."""
    matrix, others = numbers_of(train, test)
    return predict_xgboost(matrix, _outcomes(train), others, seed, **BOOSTING_OPTIONS)


def numbers_of(train: Sequence[Decision], test: Sequence[Decision]) -> tuple[np.ndarray, np.ndarray]:
    """The round and what the seats knew, shape (decisions, numbers); 0 where a setting has fewer numbers."""
    width = max(len(one.numbers) for one in (*train, *test))
    rows = [(one.round, *one.numbers, *[0.0] * (width - len(one.numbers))) for one in (*train, *test)]
    matrix = np.array(rows, float)
    return matrix[: len(train)], matrix[len(train) :]


def has_boosting() -> bool:
    """Whether the library of `boosting` is installed."""
    return find_spec("xgboost") is not None


def predictors(game: str, scripts: Sequence[str]) -> dict[str, Predictor]:
    """The predictors of a game by name.

    Args:
        game: Name.
        scripts: Specs of scripted players, in the order of `Decision.advised`.
    """
    own = THEORY.get(game)
    rational = {RATIONAL: partial(script_frequency, scripts.index(own))} if own in scripts else {}
    others: dict[str, Any] = {spec: partial(script_frequency, at) for at, spec in enumerate(scripts) if spec != own}
    found: dict[str, Predictor] = {FREQUENCY: frequency, **rational, **others, LOGIT: logit}
    return {**found, BOOSTING: boosting} if has_boosting() else found
