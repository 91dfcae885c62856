"""The analysis ``sparc``: scores of readers of programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from econzoo.baselines.code_reading import BASELINES
from econzoo.envs.core.extras import sentence
from econzoo.envs.core.plurals import many
from econzoo.envs.games.code_reading.items import items, numbers
from econzoo.evaluate.analyses.description import describe, played_of
from econzoo.evaluate.analyses.gap_to_best import Case, behind_best, gap_table
from econzoo.evaluate.analyses.sparc.answers import GAME, Answer, answers
from econzoo.evaluate.analyses.sparc.scores import MEASURES, PARTS, Key, Scores, scored
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.numbers import known
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import COUNT, FILES, HEADING, PAGE, TERMINAL, TEXT, WARNING, Column, Part, Table
from econzoo.evaluate.show.parts import Text as Words

METHOD = (
    "The question is whether a strategy cooperates in all ten rounds with a player that always does. The label of an "
    "item is the probability of that. An answer is right if it is on the same side of one half as the label; an answer "
    "of exactly one half is half right. Of the accuracy in a fresh match nobody can expect more than the mean of the "
    "likelier sides. The last columns count how often yes and no were said, rightly and wrongly.",
    "Failed answers could not be used, or were given to a text that had to be cut. They are in no column but those of "
    "failed answers; none of them is taken for a no. Intervals are over items; a dash stands for what is not defined.",
    "What a reader has to beat: constant says the same of every program, first-move takes the first move for the "
    "answer, static reads the syntax tree, simulate runs the program.",
)

Found = dict[Key, dict[str, Scores]]


def sparc(records: Records) -> Page:
    """How well players read programs: will this one cooperate?

    Args:
        records: Of code_reading; matches of other games are left out.

    Raises:
        ValueError: There is no match of code_reading.
    """
    given = answers(records)
    if not given:
        raise ValueError(f"there is no match of {GAME}")
    found = scored(given)
    every = [own["all"] for own in found.values()]
    facts = [
        many(len({key[:2] for key in found}), "reader"),
        many(sum(one.answers for one in every), "answer"),
        f"{sum(one.failed for one in every)} failed",
    ]
    played = played_of((one for one in records if one.game == GAME), records.design)
    parts: list[Part] = [_answer_table(given), _score_table(found), *describe(played, [records.folder])]
    for table in _shown_tables(found):
        parts += [Words(table.title, HEADING), table]
    differences = reader_differences(given)
    parts += [Words("Differences", HEADING), differences] if differences else []
    parts += [Words(text, WARNING) for text in _warnings(found)]
    parts += [Words("Method", HEADING, places=(PAGE,)), *(Words(text, places=(PAGE,)) for text in METHOD)]
    return Page("sparc", "SPARC: will this program cooperate?", parts, facts, records.unreadable)


def name_of(key: Key) -> str:
    """A reader with its prompt."""
    return f"{key[0]} (cot)" if key[1] == "chain-of-thought" else key[0]


def _warnings(found: Found) -> Iterator[str]:
    for key, own in found.items():
        if own["all"].cut:
            yield (
                f"{name_of(key)}, {key[2]} text: {own['all'].cut} of the {own['all'].failed} failed answers are to "
                "questions that were cut, because they are longer than what the model can read."
            )
    absent = [spec for spec in BASELINES if spec not in {key[0] for key in found}]
    if len(absent) == 1:  # the others stand there, so it could not play
        yield f"{absent[0]} did not play: {sentence('it', 'axelrod')}"


# What terminals and pages show

CONFUSION = ("true_yes", "false_yes", "false_no", "true_no")

COLUMNS = (
    Column(
        "accuracy",
        digits=2,
        ranged=True,
        meaning="accuracy: usable answers on the right side of one half, with its 95% interval over items",
    ),
    Column(
        "balanced", digits=2, meaning="balanced: mean of the accuracies on items that are yes and on those that are no"
    ),
    Column("f1", "F1", digits=2, meaning="F1: of yes"),
    Column("brier", "Brier", digits=2, meaning="Brier: mean squared error, smaller is better"),
    Column("log_score", "log", digits=2, meaning="log: mean log score, the payoff, at most 0"),
    Column(
        "expected",
        "in a fresh match",
        digits=2,
        places=(PAGE,),
        meaning="in a fresh match: accuracy to expect over one new match for each item",
    ),
    Column("failed_wrong", "strict", digits=2, meaning="strict: the accuracy with failed answers as wrong ones"),
)
"""Those of the measures."""

COUNTS = (
    Column("failed", kind=COUNT, meaning="failed: answers that could not be used; of the others all scores are made"),
    Column("answers", kind=COUNT, places=(PAGE,)),
)


def _shown_tables(found: Found) -> Iterator[Table]:
    """A table for every variant and part of the items, the highest accuracy first."""
    for variant in dict.fromkeys(key[2] for key in found):
        for part in PARTS:
            rows = [(key, own[part]) for key, own in found.items() if key[2] == variant and part in own]
            rows.sort(key=lambda row: -known(row[1].measures["accuracy"].mean, -1.0))
            if rows:
                yield _shown_table(variant, part, rows)


def _shown_table(variant: str, part: str, rows: Sequence[tuple[Key, Scores]]) -> Table:
    halves = any(count % 1 for _, one in rows for count in one.confusion)
    counts = [Column(name, places=(PAGE,), digits=int(halves)) for name in CONFUSION]
    made = [
        (name_of(key), *(one.measures[column.key] for column in COLUMNS), one.failed, one.answers, *one.confusion)
        for key, one in rows
    ]
    title = f"{variant} text, {part} items ({rows[0][1].measures['accuracy'].rows})"
    note = "cot: chain of thought." if any(key[1] == "chain-of-thought" for key, _ in rows) else ""
    columns = [Column("reader", kind=TEXT), *COLUMNS, *COUNTS, *counts]
    return Table(f"scores_{variant}_{part}", title, columns, made, note, places=(TERMINAL, PAGE))


def reader_differences(given: Iterable[Answer]) -> Table:
    """How much less accurate readers are than the best one of the same form, item by item."""
    cases = [
        Case(one.variant, name_of((one.player, one.prompt, one.variant)), one.item, _right(one.item, one.probability))
        for one in given
    ]
    title = "Accuracy less than that of the best reader, item by item"
    gaps = [(one[:3], one.gap) for one in behind_best(cases)]
    return gap_table("behind", title, ("text", "best", "reader"), gaps, "All read the same items.")


def _right(item: str, said: float | None) -> float:
    """Whether an answer is on the side of the label: 1, 0, or a half for a half; NaN where that is not defined."""
    label = items()[numbers()[item]].label
    if said is None or label == 0.5:
        return math.nan
    return 0.5 if said == 0.5 else float((said > 0.5) == (label > 0.5))


# What files have


def _answer_table(given: Sequence[Answer]) -> Table:
    return Table("answers", "Answers", [Column(name) for name in Answer._fields], given, places=(FILES,))


def _score_table(found: Found) -> Table:
    """One row for every measure of every player, prompt, variant and part."""
    heads = ("player", "prompt", "variant", "items", "measure", "mean", "low", "high", "answers", "failed", "cut")
    rows = [
        [*key, part, name, *one.measures[name][:3], one.answers, one.failed, one.cut, *one.confusion]
        for key, parts in found.items()
        for part, one in parts.items()
        for name in MEASURES
    ]
    return Table("scores", "Scores", [Column(name) for name in (*heads, *CONFUSION)], rows, places=(FILES,))
