"""What all predictors say of the decisions that were held out, task by task, and how well that fits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.analyses.model_queries import ask_all
from econzoo.evaluate.analyses.prediction.answers import FILE, Answer, ModelPredictor, read_answers
from econzoo.evaluate.analyses.prediction.decisions import Decision
from econzoo.evaluate.analyses.prediction.predictors import FREQUENCY, predictors
from econzoo.evaluate.analyses.prediction.scores import Scores, gains, scores
from econzoo.evaluate.analyses.prediction.splitting import Split
from econzoo.evaluate.analyses.prediction.texts import texts_of
from econzoo.evaluate.run.budget import count_earlier_costs
from econzoo.evaluate.run.failures import FailureCounter
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.stats.estimates import Difference

Answers = dict[str, dict[str, Answer]]
"""What tables call a model, to the id of a decision, to what the model said about it."""


class Task(NamedTuple):
    """What was predicted of one task.

    Attributes:
        name: See `Decision.task`.
        train: Decisions that were learned from.
        test: Decisions that were predicted.
        probabilities: Predictor to probabilities of yes, NaN where there was no usable answer.
        scores: Of each predictor.
        gains: How far below that of the base rate the log loss of each other predictor is.
    """

    name: str
    train: list[Decision]
    test: list[Decision]
    probabilities: dict[str, np.ndarray]
    scores: dict[str, Scores]
    gains: dict[str, Difference]


def tasks_of(split: Split, scripts: Sequence[str], answers: Answers, by: str, seed: int) -> list[Task]:
    """Every task with decisions on both sides.

    Args:
        split: Both sides; of those to predict the ones that every model has answered count.
        scripts: See `predictors`.
        answers: Of the models.
        by: See `econzoo.evaluate.analyses.prediction.scores.sampling_columns`.
        seed: Of predictors that draw.

    Raises:
        ValueError: No task has any.
    """
    test = [one for one in split.test if all(one.id in found for found in answers.values())]
    names = [name for name in dict.fromkeys(one.task for one in test) if name in {one.task for one in split.train}]
    if not names:
        raise ValueError("no kind of decision is both among those to learn from and those to predict; try another seed")
    return [
        _task(_decisions_of_task(name, split.train), _decisions_of_task(name, test), scripts, answers, by, seed)
        for name in names
    ]


def _decisions_of_task(task: str, decisions: Sequence[Decision]) -> list[Decision]:
    return [one for one in decisions if one.task == task]


def _task(
    train: list[Decision],
    test: list[Decision],
    scripts: Sequence[str],
    answers: Answers,
    by: str,
    seed: int,
) -> Task:
    made = {key: own(train, test, seed) for key, own in predictors(test[0].game, scripts).items()}
    said = {key: one for key, one in made.items() if one is not None}
    for model, found in answers.items():
        usable = [found[one.id].usable_probability for one in test]
        said[model] = np.array([math.nan if one is None else one for one in usable])
    found_scores = {key: scores(one, test, by) for key, one in said.items()}
    return Task(test[0].task, train, test, said, found_scores, gains(said, test, by, FREQUENCY))


def ask_models(
    records: Records, models: Sequence[ModelPredictor], decisions: Sequence[Decision], seed: int, concurrent: int
) -> Answers:
    """Asks models about decisions that they were not asked about yet; what they say.

    Args:
        records: The matches of the decisions.
        models: With different specs.
        decisions: To be predicted.
        seed: Of sampling.
        concurrent: Decisions that are asked about at once.
    """
    out = records.place / FILE
    count_earlier_costs(out, [model.spec for model in models])
    texts, watch = texts_of(records, decisions), FailureCounter("prediction")

    def ask(model: ModelPredictor, part: Sequence[Decision]) -> Iterator[Answer | Exception]:
        return model.predict(part, texts, seed)

    with progress_bar("predictions", len(decisions) * len(models)) as done:
        every = ask_all(models, decisions, ask, lambda: read_answers(out), out, watch, "prediction", concurrent, done)
    watch.report()
    called = labels([*(model.spec for model in models), *(one.judge for one in every)])
    found: Answers = {called[model.spec]: {} for model in models}
    for one in every:
        found.setdefault(called[one.judge], {})[one.item] = one
    return found
