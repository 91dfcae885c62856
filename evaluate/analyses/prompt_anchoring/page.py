"""The analysis ``anchoring``: a table for each player, question and measure."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.description import describe, played_of
from econzoo.evaluate.analyses.prompt_anchoring.answers import FirstAnswer, answers_of
from econzoo.evaluate.analyses.prompt_anchoring.arms import arms_of
from econzoo.evaluate.analyses.prompt_anchoring.effects import Effect, effects
from econzoo.evaluate.run.records import Records
from econzoo.evaluate.show.page import Page
from econzoo.evaluate.show.parts import (
    COUNT,
    FILES,
    HEADING,
    NOTE,
    NUMBER,
    PAGE,
    POINTS,
    SHARE,
    TERMINAL,
    TEXT,
    Column,
    Table,
)
from econzoo.evaluate.show.parts import Text as Words
from econzoo.evaluate.stats.intervals import Interval

LEGEND = (
    "n: first answers, one a match. legal: could be played as they came; the columns after it are of these. "
    "25% and 75%: quartiles. copied: exactly what the example says. shift: mean difference from the answers by "
    "placeholder, seed by seed, numbers beyond their usual range counted as its end, with its 95% interval over seeds."
)
WORDS = ("player", "role", "measure", "format", "example", "match", "reply", "move", "problem")
"""Those of the fields of effects and answers that are no numbers."""

ASKED = Column("format", "asked by", TEXT), Column("answers", "n", COUNT), Column("legal", kind=SHARE)
KINDS = Column("share", kind=SHARE), Column("shift", "shift, points", POINTS, ranged=True)


def anchoring(records: Records) -> Page:
    """How much the form of an answer in a prompt moves the answer: the same first questions in several forms.

    Args:
        records: Of the folder that ``econzoo run anchoring`` has played in; its designs say what was asked.

    Raises:
        ValueError: The folder has no such designs.
    """
    asked = arms_of(records.designs)
    given = answers_of(asked, records)
    if not given:
        raise ValueError(f"no match in {records.folder} is of arms; allowed: the folder of econzoo run anchoring")
    found = effects(asked, given)
    usual = [one for one in records if not {"prompts", "kind_order"} & {*one.options}]
    moves = ["" if one.move is None else json.dumps(one.move) for one in given]
    parts = [
        *describe(played_of(usual or records, records.design), [records.place]),
        Words("What the form moves", HEADING, places=(PAGE,)),
        Table("anchoring", "All numbers", _columns(Effect._fields), found, places=(FILES,)),
        Table(
            "answers",
            "All answers",
            _columns(FirstAnswer._fields),
            [list({**one._asdict(), "move": move}.values()) for one, move in zip(given, moves, strict=True)],
            places=(FILES,),
        ),
        *_tables(found),
        Words(LEGEND, NOTE),
    ]
    facts = [many(len(given), "answer"), many(len({one.player for one in given}), "player")]
    return Page("anchoring", f"Anchoring: {records.folder.resolve().name}", parts, facts, records.unreadable)


def _columns(names: Sequence[str]) -> list[Column]:
    return [Column(name, kind=TEXT if name in WORDS else NUMBER) for name in names]


def _tables(found: Sequence[Effect]) -> Iterator[Table]:
    """A table for every measure: amounts with quartiles, kinds with their share."""
    groups = groupby(found, lambda one: (one.player, one.role, one.measure))
    for at, ((player, role, measure), group) in enumerate(groups, start=1):
        own = list(group)
        kind = " " not in measure
        columns = [*ASKED, *(KINDS if kind else _amounts(own))]
        rows = [[one.format, one.answers, _legal(one), *(_kind if kind else _amount)(one)] for one in own]
        yield Table(f"effects_{at}", f"{player} as {role}: {measure}", columns, rows, places=(TERMINAL, PAGE))


def _amounts(own: Sequence[Effect]) -> list[Column]:
    """Columns of amounts, with as many digits as the largest leaves of four."""
    largest = max((abs(one.high_quartile) for one in own if not math.isnan(one.high_quartile)), default=1.0)
    digits = min(3, max(0, 3 - math.floor(math.log10(largest or 1.0))))
    return [
        Column("median", digits=digits),
        Column("low_quartile", "25%", digits=digits),
        Column("high_quartile", "75%", digits=digits),
        Column("copied", kind=SHARE),
        Column("shift", digits=digits, signed=True, ranged=True),
    ]


def _legal(one: Effect) -> Interval:
    return Interval(one.legal, one.legal_low, one.legal_high, one.answers)


def _shift(one: Effect) -> Interval:
    return Interval(one.shift, one.shift_low, one.shift_high, one.pairs)


def _kind(one: Effect) -> list[float | Interval]:
    return [one.mean, _shift(one)]


def _amount(one: Effect) -> list[float | Interval]:
    copied = Interval(one.copied, one.copied_low, one.copied_high, one.values)
    return [one.median, one.low_quartile, one.high_quartile, copied, _shift(one)]
