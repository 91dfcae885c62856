"""The analysis ``anchoring``: effect of the answer format in the prompt on answers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses import describe, played_games
from econzoo.evaluate.analyses.prompt_anchoring.answers import FirstAnswer, answers_of, is_text, measure_move, measures
from econzoo.evaluate.analyses.prompt_anchoring.answers import usual_ranges
from econzoo.evaluate.analyses.prompt_anchoring.arms import arms_of
from econzoo.evaluate.analyses.prompt_anchoring.formats import PLACEHOLDER
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import COUNT, HEADING, NOTE, PAGE, POINTS, READER_PLACES, SHARE, TEXT, Column, Page, Table
from econzoo.evaluate.show import Text, file_table
from econzoo.evaluate.stats import Columns, Interval, estimate, wilson

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.prompt_anchoring.arms import Arm
    from econzoo.evaluate.analyses.prompt_anchoring.questions import FirstQuestion

UNDEFINED = Interval(math.nan, math.nan, math.nan, 0)


class Effect(NamedTuple):
    """One measure of the answers of a player to a question in one format.

    Attributes:
        measure: A kind of move, or a field of one, as in ``"offer gain"``.
        legal: Share of legal answers.
        legal_low: Lower bound of its 95% Wilson interval.
        values: Number of answers with the measure: legal ones, for a field those of its kind.
        mean: Mean value; for a kind its share.
        low_quartile: First quartile; NaN for kinds and texts.
        example: Value in the example of the format; empty without one.
        copied: Share of values equal to the example; NaN without one.
        copied_low: Lower bound of its 95% Wilson interval.
        shift: Mean difference from the placeholder format, paired by seed, values clipped to the usual range; NaN for
            texts.
        shift_low: Lower bound of its 95% interval over seeds.
        pairs: Number of seeds with both answers.
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
    """Compute all measures by player, question and format, grouped by measure."""
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
            head = player, question.seat, question.role, measure, form, len(own), *legal
            example = examples[form].get(measure, "")
            is_words = is_text(question.actions, measure)
            spread = _text_statistics(given[form], example) if is_words else _number_statistics(given[form], example)
            # Names of fields have a space; quartiles of the indicator of a kind are only 0 and 1.
            quartiles = spread[2:5] if " " in measure else (math.nan,) * 3
            shift = UNDEFINED if is_words else _paired_shift(given, form, usual.get(measure, (0.0, 1.0)))
            yield Effect._make((*head, *spread[:2], *quartiles, *spread[5:], *shift))


def _measures_by_seed(question: FirstQuestion, answers: Sequence[FirstAnswer]) -> dict[int, dict[str, Any]]:
    """Return the measures of legal answers by seed."""
    return {one.seed: measure_move(question.actions, one.move) for one in answers if one.move is not None}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if len(values) else math.nan


def _number_statistics(given: Mapping[int, float], example: Any) -> tuple[Any, ...]:
    """Return the attributes of `Effect` from ``values`` to ``copied``."""
    values = list(given.values())
    quartiles = np.quantile(values, [0.25, 0.5, 0.75]).tolist() if values else [math.nan] * 3
    return len(values), _mean(values), *quartiles, len(set(values)), example, *_copied_share(values, example)


def _text_statistics(given: Mapping[int, str], example: Any) -> tuple[Any, ...]:
    """Return the same for texts, which have no mean."""
    texts = list(given.values())
    return len(texts), *(math.nan,) * 4, len(set(texts)), example, *_copied_share(texts, example)


def _copied_share(values: Sequence[Any], example: Any) -> tuple[float, float, float]:
    found = UNDEFINED if example == "" else wilson(sum(value == example for value in values), len(values))
    return found.mean, found.low, found.high


def _paired_shift(given: Mapping[str, Mapping[int, float]], form: str, ends: tuple[float, float]) -> Interval:
    """Return the mean difference from the placeholder format, paired by seed, with its interval."""
    low, high = ends
    # Clipped, because a single legal but absurd amount would be the mean.
    placeholder, own = ({seed: min(max(x, low), high) for seed, x in given[one].items()} for one in (PLACEHOLDER, form))
    paired = [seed for seed in own if seed in placeholder]
    if form == PLACEHOLDER or not paired:
        return UNDEFINED
    rows = [{"form": form, "cluster": str(seed), "shift": own[seed] - placeholder[seed]} for seed in paired]
    return estimate(Columns.of_rows(rows), ["form"], ["shift"], signed=["shift"])[form]["shift"]


LEGEND = (
    "n: first answers, one per match. legal: share of legal answers, the basis of later columns. 25%, 75%: quartiles. "
    "copied: equal to the example. shift: mean difference from the placeholder format, paired by seed, values clipped "
    "to the usual range, with 95% CI over seeds."
)
FORMAT_COLUMNS = Column("format", "answer format", TEXT), Column("answers", "n", COUNT), Column("legal", kind=SHARE)
KIND_COLUMNS = Column("share", kind=SHARE), Column("shift", "shift, points", POINTS, show_interval=True)


def anchoring(records: Records) -> Page:
    """Effect of the answer format in the prompt: the same first questions in several formats."""
    played = arms_of(records.designs)
    given = answers_of(played, records)
    if not given:
        raise ValueError(
            f"no match of an anchoring arm in {records.folder}: expected the folder of econzoo run anchoring"
        )
    found = effects(played, given)
    # The rules are described in the prompts of the library, not in those of an arm.
    usual = [one for one in records if not {"prompts", "kind_order"} & {*one.options}]
    parts = [
        *describe(played_games(usual or records, records.design), [records.place]),
        Text("Effect of the answer format", HEADING, places=(PAGE,)),
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
    """Yield a table per measure: amounts with quartiles, kinds with shares."""
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
    """Return the columns of amounts, with four significant digits of the largest."""
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
