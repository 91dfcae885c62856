"""What came out of judgements: mean, standard deviation and quartiles of every dimension, and the judges' agreement.

The statistics are those of ALYMPICS (Mao et al. 2023), Table 3. The standard deviation is that of a sample (n - 1), and
quartiles are interpolated linearly between scores. Intervals are over matches: all scores of all players
of a match, by all judges, count as one draw, because they are about one story.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from econzoo.evaluate.analyses.gap_to_best import Case, GapToBest, group_gaps_to_best
from econzoo.evaluate.analyses.judging.agreement import Agreement, agreement
from econzoo.evaluate.analyses.judging.compact import COMPACT, CUT, WHOLE
from econzoo.evaluate.analyses.judging.ratings import Rating
from econzoo.evaluate.analyses.judging.rubric import Rubric
from econzoo.evaluate.stats.estimates import estimate
from econzoo.evaluate.stats.intervals import Interval

__all__ = ["Reading", "Report", "Row", "judging_report"]

ALL, PLAYER, JUDGE = "all", "player", "judge"


class Row(NamedTuple):
    """The scores of a group on one dimension.

    Attributes:
        by: ``"all"``, ``"player"`` or ``"judge"``.
        who: The player's or judge's spec; empty for all.
        dimension: Key of the dimension.
        n: Scores.
        missing: Asked without a usable score.
        mean: Of the scores; NaN if there are none.
        low: Lower end of the 95% interval; NaN with fewer than two matches.
        high: Upper end.
        sd: Standard deviation; NaN with fewer than two scores.
        q1: First quartile.
        median: Second quartile.
        q3: Third quartile.
    """

    by: str
    who: str
    dimension: str
    n: int
    missing: int
    mean: float
    low: float
    high: float
    sd: float
    q1: float
    median: float
    q3: float


class Reading(NamedTuple):
    """What a judge has read.

    Attributes:
        judge: Spec.
        whole: Players whose match it read word for word.
        compact: Players whose match it read as tables and shortened words.
        cut: Players of whose match a part did not fit even so.
        characters: Of all these matches, word for word.
        left_out: Characters of what was written in them that it did not read.
    """

    judge: str
    whole: int
    compact: int
    cut: int
    characters: int
    left_out: int


class Report(NamedTuple):
    """What came out.

    Attributes:
        rubric: What was asked.
        rows: Of every group, in the rubric's order.
        agreement: Dimension to agreement.
        items: Players that were judged.
        judges: Specs, in the order in which they appear.
        readings: Of the judges of whom it is known what they read.
        gaps_to_best: Dimension by dimension, how far players are behind the best one, match by match.
    """

    rubric: Rubric
    rows: list[Row]
    agreement: dict[str, Agreement]
    items: int
    judges: list[str]
    readings: list[Reading]
    gaps_to_best: list[GapToBest]

    def rows_by(self, by: str) -> list[Row]:
        """The rows of one kind of group."""
        return [row for row in self.rows if row.by == by]


def judging_report(ratings: Sequence[Rating], rubric: Rubric) -> Report:
    """Means, spread and agreement of ratings.

    Args:
        ratings: Of one rubric, each judge's of each player and dimension once.
        rubric: Its dimensions give the order.

    Raises:
        ValueError: There are no ratings, or one is given twice.
    """
    if not ratings:
        raise ValueError("there are no ratings to report; allowed: judgements or a table with at least one")
    table = _table(ratings)
    repeated = table[table.duplicated(["item", "judge", "dimension"])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(
            f"the judge {first['judge']} rates {first['dimension']} of {first['item']} in two sources; allowed: once"
        )
    keys = [d.key for d in rubric.dimensions if (table["dimension"] == d.key).any()]
    rows = [row for by in (ALL, PLAYER, JUDGE) for row in _rows(table, by, keys)]
    found = {key: agreement(_matrix(table, key)) for key in keys}
    judges = list(table["judge"].unique())
    readings = [one for judge in judges if (one := judge_reading(judge, ratings))]
    named = table[table[PLAYER] != ""]
    columns = (named[name] for name in ("dimension", PLAYER, "match", "score"))
    behind = group_gaps_to_best(Case(*one) for one in zip(*columns, strict=True))
    return Report(rubric, rows, found, table["item"].nunique(), judges, readings, behind)


def judge_reading(judge: str, ratings: Sequence[Rating]) -> Reading | None:
    """What a judge has read; None where its ratings do not say."""
    players = {one.item: one for one in ratings if one.judge == judge and one.form}
    told = Counter(one.form for one in players.values())
    sizes = (sum(one.characters for one in players.values()), sum(one.left_out for one in players.values()))
    return Reading(judge, told[WHOLE], told[COMPACT], told[CUT], *sizes) if players else None


def _table(ratings: Sequence[Rating]) -> pd.DataFrame:
    """One row for each rating; a player that one source knows is known for all ratings of the item."""
    players = {r.item: r.player for r in ratings if r.player}
    made = [(*r[:4], players.get(r.item, ""), r.match, ALL) for r in ratings]
    return pd.DataFrame(made, columns=["item", "judge", "dimension", "score", PLAYER, "match", ALL])


def _matrix(table: pd.DataFrame, key: str) -> Any:
    """Scores of one dimension, shape (judges, items)."""
    return table[table["dimension"] == key].pivot(index="judge", columns="item", values="score").to_numpy(float)


def _rows(table: pd.DataFrame, by: str, keys: Sequence[str]) -> list[Row]:
    known = table[table[by] != ""]
    means = estimate(known, [by, "dimension"], ["score"], unit="match")
    groups = {group: part["score"] for group, part in known.groupby([by, "dimension"])}
    who = list(known[by].unique()) if by == JUDGE else sorted(known[by].unique())
    order = [(name, key) for name in who for key in keys if (name, key) in groups]
    return [_row(by, *group, groups[group], means[group]["score"]) for group in order]


def _row(by: str, who: str, key: str, scores: pd.Series[float], found: Interval) -> Row:
    given = scores.dropna()
    q1, median, q3 = (float(given.quantile(part)) for part in (0.25, 0.5, 0.75))
    size = len(given), len(scores) - len(given)
    name = "" if by == ALL else who
    return Row(by, name, key, *size, found.mean, found.low, found.high, float(given.std(ddof=1)), q1, median, q3)
