"""Predictions of held-out decisions by all predictors, with scores by task."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from econzoo.baselines import Inquiry, strip_reply_format
from econzoo.envs.core.record import Record, labels
from econzoo.evaluate.analyses import Blindfold, MatchTexts, ask_all, replay_texts, telltales
from econzoo.evaluate.analyses.judging import answer_page, assigned_persona
from econzoo.evaluate.analyses.prediction.answers import FILE, Answer, ModelPredictor, read_answers
from econzoo.evaluate.analyses.prediction.decisions import Decision, PlayerKnowledge
from econzoo.evaluate.analyses.prediction.predictors import FREQUENCY, predictors
from econzoo.evaluate.analyses.prediction.scores import Scores, gains, scores
from econzoo.evaluate.analyses.prediction.splitting import Split
from econzoo.evaluate.run import FailureCounter, Records, count_previous_costs, progress_bar
from econzoo.evaluate.stats import Difference

Answers = dict[str, dict[str, Answer]]
"""Answers by model label and decision id."""


class Task(NamedTuple):
    """Predictions and scores of one task.

    Attributes:
        probabilities: Probabilities of yes by predictor; NaN without a valid answer.
        gains: Reduction in log loss relative to the base rate, by predictor.
    """

    name: str
    train: list[Decision]
    test: list[Decision]
    probabilities: dict[str, np.ndarray]
    scores: dict[str, Scores]
    gains: dict[str, Difference]


def tasks_of(split: Split, scripts: Sequence[str], answers: Answers, by: str, seed: int) -> list[Task]:
    """Predict and score every task with training and test decisions."""
    # All predictors are compared on the same decisions: a provider's failure removes one from all scores.
    test = [one for one in split.test if all(one.id in found for found in answers.values())]
    names = [name for name in dict.fromkeys(one.task for one in test) if name in {one.task for one in split.train}]
    if not names:
        raise ValueError("no task has both training and test decisions; try another seed")
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
    predicted = {key: own(train, test, seed) for key, own in predictors(test[0].game, scripts).items()}
    probabilities = {key: one for key, one in predicted.items() if one is not None}
    for model, found in answers.items():
        usable = [found[one.id].usable_probability for one in test]
        probabilities[model] = np.array([math.nan if one is None else one for one in usable])
    found_scores = {key: scores(one, test, by) for key, one in probabilities.items()}
    found_gains = gains(probabilities, test, by, FREQUENCY)
    return Task(test[0].task, train, test, probabilities, found_scores, found_gains)


def ask_models(
    records: Records, models: Sequence[ModelPredictor], decisions: Sequence[Decision], seed: int, concurrent: int | None
) -> Answers:
    """Ask models for missing predictions; return all answers."""
    out = records.place / FILE
    count_previous_costs(out, [model.spec for model in models])
    texts, watch = texts_of(records, decisions), FailureCounter("prediction")

    def inquire(model: ModelPredictor, decision: Decision) -> Inquiry:
        return model.inquiry(decision, texts[decision.id], seed)

    with progress_bar("predictions", len(decisions) * len(models)) as done:
        every = ask_all(
            models, decisions, inquire, lambda: read_answers(out), out, watch, "prediction", concurrent, done
        )
    watch.report()
    called = labels([*(model.spec for model in models), *(one.judge for one in every)])
    found: Answers = {called[model.spec]: {} for model in models}
    for one in every:
        found.setdefault(called[one.judge], {})[one.item] = one
    return found


def texts_of(records: Iterable[Record], decisions: Sequence[Decision]) -> dict[str, PlayerKnowledge]:
    """Return the players' knowledge by decision id."""
    turns: dict[str, list[Decision]] = {}
    for one in decisions:
        turns.setdefault(one.match, []).append(one)
    replays = ((record, replay_texts(record)) for record in records if record.id in turns)
    return {one.id: player_knowledge(record, texts, one.turn) for record, texts in replays for one in turns[record.id]}


def player_knowledge(record: Record, texts: MatchTexts, turn: int) -> PlayerKnowledge:
    """Return the knowledge of a seat before one of its moves.

    Args:
        turn: Index of the turn, from 0.
    """
    seat, hide = record.turns[turn].seat, Blindfold(telltales(record))
    earlier = [(at, replace(one, calls=[], reasoning="")) for at, one in enumerate(record.turns[:turn])]
    past = [str(answer_page(one, texts, at)) for at, one in earlier if one.seat == seat]
    prompt = "\n".join([f"[Round {record.turns[turn].round}]", *strip_reply_format(texts.prompts[turn] or "")])
    rules = [texts.rules[seat], assigned_persona(record, seat) or ""]
    return PlayerKnowledge(hide("\n".join(filter(None, rules))), hide("\n\n".join([*past, prompt])))
