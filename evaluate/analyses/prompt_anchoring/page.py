"""The analysis ``anchoring``: effect of the answer format in the prompt on answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.description import describe, played_games
from econzoo.evaluate.analyses.prompt_anchoring.answers import (
    FirstAnswer,
    answers_of,
    is_text,
    measure_move,
    measures,
    usual_ranges,
)
from econzoo.evaluate.analyses.prompt_anchoring.arms import arms_of
from econzoo.evaluate.analyses.prompt_anchoring.formats import PLACEHOLDER
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import (
    COUNT,
    HEADING,
    NOTE,
    PAGE,
    POINTS,
    READER_PLACES,
    SHARE,
    TEXT,
    Column,
    Table,
    Text,
    file_table,
)
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import estimate
from econzoo.evaluate.stats.intervals import Interval, wilson

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.prompt_anchoring.arms import Arm
    from econzoo.evaluate.analyses.prompt_anchoring.questions import FirstQuestion

UNDEFINED = Interval(math.nan, math.nan, math.nan, 0)


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
            found += _question_effects(player, question, forms, own)
    return found


def _question_effects(
    player: str,
    question: FirstQuestion,
    forms: Mapping[str, Mapping[str, Any] | None],
    answers: Sequence[FirstAnswer],
) -> Iterator[Effect]:
    by_form = {form: [answer for answer in answers if answer.format == form] for form in forms}
    values = {form: _measures_by_seed(question, own) for form, own in by_form.items()}
    examples = {form: measure_move(question.actions, move) if move else {} for form, move in forms.items()}
    usual = usual_ranges(question)
    for measure in measures(question):
        given = {form: {s: v[measure] for s, v in of.items() if measure in v} for form, of in values.items()}
        for form, own in by_form.items():
            legal = wilson(sum(one.legal for one in own), len(own))[:3]
            asked = player, question.seat, question.role, measure, form, len(own), *legal
            example = examples[form].get(measure, "")
            words = is_text(question.actions, measure)
            spread = _text_statistics(given[form], example) if words else _number_statistics(given[form], example)
            quartiles = spread[2:5] if " " in measure else (math.nan,) * 3
            shift = UNDEFINED if words else _paired_shift(given, form, usual.get(measure, (0.0, 1.0)))
            yield Effect._make((*asked, *spread[:2], *quartiles, *spread[5:], *shift))


def _measures_by_seed(question: FirstQuestion, answers: Sequence[FirstAnswer]) -> dict[int, dict[str, Any]]:
    """What is measured of the legal answers, by seed."""
    return {one.seed: measure_move(question.actions, one.move) for one in answers if one.move is not None}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _number_statistics(given: Mapping[int, float], example: Any) -> tuple[Any, ...]:
    """The attributes of `Effect` from ``values`` to ``copied``."""
    values = list(given.values())
    quartiles = np.quantile(values, [0.25, 0.5, 0.75]).tolist() if values else [math.nan] * 3
    return len(values), _mean(values), *quartiles, len(set(values)), example, *_copied_share(values, example)


def _text_statistics(given: Mapping[int, str], example: Any) -> tuple[Any, ...]:
    """The same of texts, which have no mean."""
    texts = list(given.values())
    return len(texts), *(math.nan,) * 4, len(set(texts)), example, *_copied_share(texts, example)


def _copied_share(values: Sequence[Any], example: Any) -> tuple[float, float, float]:
    found = UNDEFINED if example == "" else wilson(sum(value == example for value in values), len(values))
    return found.mean, found.low, found.high


def _paired_shift(given: Mapping[str, Mapping[int, float]], form: str, ends: tuple[float, float]) -> Interval:
    """The mean difference between twins, matches with the same seed, with its interval."""
    low, high = ends
    before, own = ({seed: min(max(x, low), high) for seed, x in given[one].items()} for one in (PLACEHOLDER, form))
    twins = [seed for seed in own if seed in before]
    if form == PLACEHOLDER or not twins:
        return UNDEFINED
    rows = [{"form": form, "cluster": str(seed), "shift": own[seed] - before[seed]} for seed in twins]
    return estimate(Columns.of_rows(rows), ["form"], ["shift"], signed=["shift"])[form]["shift"]


LEGEND = (
    "n: first answers, one a match. legal: could be played as they came; the columns after it are of these. "
    "25% and 75%: quartiles. copied: exactly what the example says. shift: mean difference from the answers by "
    "placeholder, seed by seed, numbers beyond their usual range counted as its end, with its 95% interval over seeds."
)
FORMAT_COLUMNS = Column("format", "asked by", TEXT), Column("answers", "n", COUNT), Column("legal", kind=SHARE)
KIND_COLUMNS = Column("share", kind=SHARE), Column("shift", "shift, points", POINTS, show_interval=True)


def anchoring(records: Records) -> Page:
    """Effect of the answer format in the prompt: the same first questions in several formats.

    Args:
        records: Of the folder that ``econzoo run anchoring`` has played in; its designs say what was asked.

    Raises:
        ValueError: The folder has no such designs.
    """
    asked = arms_of(records.designs)
    given = answers_of(asked, records)
    if not given:
        raise ValueError(
            f"no match of an anchoring arm in {records.folder}: expected the folder of econzoo run anchoring"
        )
    found = effects(asked, given)
    usual = [one for one in records if not {"prompts", "kind_order"} & {*one.options}]
    parts = [
        *describe(played_games(usual or records, records.design), [records.place]),
        Text("What the form moves", HEADING, places=(PAGE,)),
        file_table("anchoring", Effect._fields, found),
        file_table(
            "answers",
            FirstAnswer._fields,
            [list({**one._asdict(), "move": _format_move(one.move)}.values()) for one in given],
        ),
        *_tables(found),
        Text(LEGEND, NOTE),
    ]
    facts = [format_count(len(given), "answer"), format_count(len({one.player for one in given}), "player")]
    return Page("anchoring", f"Anchoring: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _format_move(move: Mapping[str, Any] | None) -> str:
    return "" if move is None else json.dumps(move)


def _tables(found: Sequence[Effect]) -> Iterator[Table]:
    """A table for every measure: amounts with quartiles, kinds with their share."""
    groups = groupby(found, lambda one: (one.player, one.role, one.measure))
    for at, ((player, role, measure), group) in enumerate(groups, start=1):
        own = list(group)
        kind = " " not in measure
        columns = [*FORMAT_COLUMNS, *(KIND_COLUMNS if kind else _amount_columns(own))]
        rows = [
            [one.format, one.answers, _legal_share(one), *(_kind_cells if kind else _amount_cells)(one)] for one in own
        ]
        yield Table(f"effects_{at}", f"{player} as {role}: {measure}", columns, rows, places=READER_PLACES)


def _amount_columns(own: Sequence[Effect]) -> list[Column]:
    """Columns of amounts, with as many digits as the largest leaves of four."""
    largest = max((abs(one.high_quartile) for one in own if not math.isnan(one.high_quartile)), default=1.0)
    digits = min(3, max(0, 3 - math.floor(math.log10(largest or 1.0))))
    return [
        Column("median", digits=digits),
        Column("low_quartile", "25%", digits=digits),
        Column("high_quartile", "75%", digits=digits),
        Column("copied", kind=SHARE),
        Column("shift", digits=digits, signed=True, show_interval=True),
    ]


def _legal_share(one: Effect) -> Interval:
    return Interval(one.legal, one.legal_low, one.legal_high, one.answers)


def _shift(one: Effect) -> Interval:
    return Interval(one.shift, one.shift_low, one.shift_high, one.pairs)


def _kind_cells(one: Effect) -> list[float | Interval]:
    return [one.mean, _shift(one)]


def _amount_cells(one: Effect) -> list[float | Interval]:
    copied = Interval(one.copied, one.copied_low, one.copied_high, one.values)
    return [one.median, one.low_quartile, one.high_quartile, copied, _shift(one)]
