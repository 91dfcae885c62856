"""How much the form of a question moves the answers to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.evaluate.analyses.prompt_anchoring.answers import FirstAnswer, is_words, measured, measures, usual_ranges
from econzoo.evaluate.analyses.prompt_anchoring.formats import PLACEHOLDER
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import estimate
from econzoo.evaluate.stats.intervals import Interval, wilson

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.prompt_anchoring.arms import Arm
    from econzoo.evaluate.analyses.prompt_anchoring.questions import FirstQuestion

UNKNOWN = Interval(math.nan, math.nan, math.nan, 0)


class Effect(NamedTuple):
    """One measure of the answers of a player to a question in one form.

    Attributes:
        player: Spec.
        seat: Number of its seat.
        role: Name of its seat.
        measure: A kind of move, or a field of one, as in ``"offer gain"``.
        format: Form of the question.
        answers: First answers.
        legal: Share of them that could be played.
        legal_low: Lower end of its 95% interval (Wilson's).
        legal_high: Upper end.
        values: Answers that have the measure: the legal ones, for a field those of its kind.
        mean: Mean of these; for a kind its share.
        low_quartile: Of these; NaN for kinds and words.
        median: Of these.
        high_quartile: Of these.
        distinct: How many of these are different from each other.
        example: What the example of the form says; empty where there is none.
        copied: Share of these that are exactly that; NaN where there is no example.
        copied_low: Lower end of its 95% interval (Wilson's).
        copied_high: Upper end.
        shift: Mean of the differences from the answers to the placeholder with the same seed, numbers beyond their
            usual range counted as its end; NaN for words.
        shift_low: Lower end of its 95% interval over seeds.
        shift_high: Upper end.
        pairs: Seeds with both answers.
    """

    player: str
    seat: int
    role: str
    measure: str
    format: str
    answers: int
    legal: float
    legal_low: float
    legal_high: float
    values: int
    mean: float
    low_quartile: float
    median: float
    high_quartile: float
    distinct: int
    example: Any
    copied: float
    copied_low: float
    copied_high: float
    shift: float
    shift_low: float
    shift_high: float
    pairs: int


def effects(arms: Sequence[Arm], answers: Sequence[FirstAnswer]) -> list[Effect]:
    """Every measure of every player, question and form, forms of one measure one after the other.

    Args:
        arms: Those that were played.
        answers: Of `econzoo.evaluate.analyses.prompt_anchoring.answers.answers_of`.
    """
    questions = {arm.question.seat: arm.question for arm in arms}
    players = list(dict.fromkeys(answer.player for answer in answers))
    found: list[Effect] = []
    for player in players:
        for seat, question in questions.items():
            own = [answer for answer in answers if (answer.player, answer.seat) == (player, seat)]
            forms = {arm.format.name: arm.format.example for arm in arms if arm.question.seat == seat}
            found += _of_question(player, question, forms, own)
    return found


def _of_question(
    player: str,
    question: FirstQuestion,
    forms: Mapping[str, Mapping[str, Any] | None],
    answers: Sequence[FirstAnswer],
) -> Iterator[Effect]:
    by_form = {form: [answer for answer in answers if answer.format == form] for form in forms}
    values = {form: _by_seed(question, own) for form, own in by_form.items()}
    examples = {form: measured(question.actions, move) if move else {} for form, move in forms.items()}
    usual = usual_ranges(question)
    for measure in measures(question):
        given = {form: {s: v[measure] for s, v in of.items() if measure in v} for form, of in values.items()}
        for form, own in by_form.items():
            legal = wilson(sum(one.legal for one in own), len(own))[:3]
            asked = player, question.seat, question.role, measure, form, len(own), *legal
            example = examples[form].get(measure, "")
            words = is_words(question.actions, measure)
            spread = _words(given[form], example) if words else _numbers(given[form], example)
            quartiles = spread[2:5] if " " in measure else (math.nan,) * 3
            shift = UNKNOWN if words else _shift(given, form, usual.get(measure, (0.0, 1.0)))
            yield Effect._make((*asked, *spread[:2], *quartiles, *spread[5:], *shift))


def _by_seed(question: FirstQuestion, answers: Sequence[FirstAnswer]) -> dict[int, dict[str, Any]]:
    """What is measured of the legal answers, by seed."""
    return {one.seed: measured(question.actions, one.move) for one in answers if one.move is not None}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _numbers(given: Mapping[int, float], example: Any) -> tuple[Any, ...]:
    """The attributes of `Effect` from ``values`` to ``copied``."""
    values = list(given.values())
    quartiles = np.quantile(values, [0.25, 0.5, 0.75]).tolist() if values else [math.nan] * 3
    return len(values), _mean(values), *quartiles, len(set(values)), example, *_copied(values, example)


def _words(given: Mapping[int, str], example: Any) -> tuple[Any, ...]:
    """The same of texts, which have no mean."""
    texts = list(given.values())
    return len(texts), *(math.nan,) * 4, len(set(texts)), example, *_copied(texts, example)


def _copied(values: Sequence[Any], example: Any) -> tuple[float, float, float]:
    found = UNKNOWN if example == "" else wilson(sum(value == example for value in values), len(values))
    return found.mean, found.low, found.high


def _shift(given: Mapping[str, Mapping[int, float]], form: str, ends: tuple[float, float]) -> Interval:
    """The mean difference between twins, matches with the same seed, with its interval."""
    low, high = ends
    before, own = ({seed: min(max(x, low), high) for seed, x in given[one].items()} for one in (PLACEHOLDER, form))
    twins = [seed for seed in own if seed in before]
    if form == PLACEHOLDER or not twins:
        return UNKNOWN
    rows = [{"form": form, "cluster": str(seed), "shift": own[seed] - before[seed]} for seed in twins]
    return estimate(Columns.of_rows(rows), ["form"], ["shift"], signed=["shift"])[form]["shift"]
