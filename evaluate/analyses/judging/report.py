"""Results of judgements: mean, standard deviation and quartiles of every dimension, and inter-judge agreement.

The statistics are those of ALYMPICS (Mao et al. 2023), Table 3. The standard deviation is that of a sample (n - 1), and
quartiles are interpolated linearly between scores. Intervals are over matches: all scores of all players
of a match, by all judges, form one cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from econzoo.envs.core.contract import check_arguments
from econzoo.evaluate.analyses import Case, GapToBest, group_gaps_to_best
from econzoo.evaluate.analyses.judging.agreement import Agreement, agreement
from econzoo.evaluate.analyses.judging.compact import COMPACT, CUT, WHOLE
from econzoo.evaluate.analyses.judging.ratings import Rating
from econzoo.evaluate.analyses.judging.rubric import Rubric
from econzoo.evaluate.stats import Interval, estimate

__all__ = ["Reading", "Report", "Row", "judging_report"]

ALL, PLAYER, JUDGE = "all", "player", "judge"


class Row(NamedTuple):
    """The scores of a group on one dimension.

    Attributes:
        by: ``"all"``, ``"player"`` or ``"judge"``.
        who: The player's or judge's spec; empty for all.
        dimension: Key of the dimension.
        n: Number of scores.
        missing: Number of questions without a valid score.
        mean: Mean score; NaN without scores.
        low: Lower end of the 95% interval; NaN with fewer than six matches, or without variation between them.
        high: Upper end.
        sd: Standard deviation; NaN with fewer than two scores.
        low_quartile: First quartile.
        median: Second quartile.
        high_quartile: Third quartile.
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
    low_quartile: float
    median: float
    high_quartile: float


class Reading(NamedTuple):
    """Evidence read by a judge.

    Attributes:
        judge: Spec.
        whole: Number of players whose full transcript was read.
        compact: Number of players read as tables and shortened texts.
        cut: Number of players whose compact form was truncated.
        characters: Characters of the full transcripts.
        left_out: Characters of these that were omitted.
    """

    judge: str
    whole: int
    compact: int
    cut: int
    characters: int
    left_out: int


class Report(NamedTuple):
    """Results of judgements.

    Attributes:
        rubric: Rubric.
        rows: Scores of every group, in the rubric's order.
        agreement: Dimension to agreement.
        items: Number of judged players.
        judges: Specs, in order of appearance.
        readings: Evidence read, for judges where it is recorded.
        gaps_to_best: Paired gaps to the best player, by dimension.
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


@check_arguments
def judging_report(ratings: Sequence[Rating], rubric: Rubric) -> Report:
    """Compute means, spread and agreement of ratings.

    Args:
        ratings: Ratings by one rubric, at most one per judge, player and dimension.
        rubric: Rubric; gives the order of dimensions.

    Raises:
        ValueError: There are no ratings, or one is duplicate.
    """
    if not ratings:
        raise ValueError("no ratings: expected judgements or a table with at least one rating")
    table = _table(ratings)
    repeated = table[table.duplicated(["item", "judge", "dimension"])]
    if len(repeated):
        first = repeated.iloc[0]
        raise ValueError(
            f"duplicate rating: judge {first['judge']} rates {first['dimension']} of {first['item']} in two sources"
        )
    keys = [d.key for d in rubric.dimensions if (table["dimension"] == d.key).any()]
    rows = [row for by in (ALL, PLAYER, JUDGE) for row in _rows(table, by, keys)]
    found = {key: agreement(_matrix(table, key)) for key in keys}
    judges = list(table["judge"].unique())
    readings = [one for judge in judges if (one := judge_reading(judge, ratings))]
    named = table[table[PLAYER] != ""]
    columns = (named[name] for name in ("dimension", PLAYER, "match", "score"))
    gaps = group_gaps_to_best(Case(*one) for one in zip(*columns, strict=True))
    return Report(rubric, rows, found, table["item"].nunique(), judges, readings, gaps)


def judge_reading(judge: str, ratings: Sequence[Rating]) -> Reading | None:
    """Return the evidence read by a judge; None if not recorded."""
    # One rating per player: all dimensions were judged by the same evidence.
    players = {one.item: one for one in ratings if one.judge == judge and one.form}
    forms = Counter(one.form for one in players.values())
    sizes = (sum(one.characters for one in players.values()), sum(one.left_out for one in players.values()))
    return Reading(judge, forms[WHOLE], forms[COMPACT], forms[CUT], *sizes) if players else None


def _table(ratings: Sequence[Rating]) -> pd.DataFrame:
    """One row per rating; a player named by one source is filled in for all ratings of the item."""
    players = {r.item: r.player for r in ratings if r.player}
    # A constant last column lets all ratings be grouped like those of a player or judge.
    rows = [(*r[:4], players.get(r.item, ""), r.match, ALL) for r in ratings]
    return pd.DataFrame(rows, columns=["item", "judge", "dimension", "score", PLAYER, "match", ALL])


def _matrix(table: pd.DataFrame, key: str) -> Any:
    """Scores of one dimension, shape (judges, items)."""
    return table[table["dimension"] == key].pivot(index="judge", columns="item", values="score").to_numpy(float)


def _rows(table: pd.DataFrame, by: str, keys: Sequence[str]) -> list[Row]:
    known = table[table[by] != ""]  # tables of ratings need not name players
    means = estimate(known, [by, "dimension"], ["score"], unit="match")
    groups = {group: part["score"] for group, part in known.groupby([by, "dimension"])}
    who = list(known[by].unique()) if by == JUDGE else sorted(known[by].unique())
    order = [(name, key) for name in who for key in keys if (name, key) in groups]
    return [_row(by, *group, groups[group], means[group]["score"]) for group in order]


def _row(by: str, who: str, key: str, scores: pd.Series[float], found: Interval) -> Row:
    given = scores.dropna()
    quartiles = [float(given.quantile(part)) for part in (0.25, 0.5, 0.75)]
    size = len(given), len(scores) - len(given)
    name = "" if by == ALL else who
    return Row(by, name, key, *size, found.mean, found.low, found.high, float(given.std(ddof=1)), *quartiles)
