"""Single ratings: from judgements, or from the CSV table of a study."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.core import escape_name, read_csv_rows
from econzoo.envs.core.contract import Invalid, check_arguments, clean, short_repr
from econzoo.envs.core.record import labels
from econzoo.evaluate.analyses.judging.judgements import Judgement
from econzoo.evaluate.analyses.judging.rubric import Dimension, Rubric, parse_score_text
from econzoo.evaluate.show import plain_text

__all__ = ["Rating", "ratings_of", "read_ratings"]

REQUIRED_COLUMNS = ("item", "judge", "dimension", "score")
"""Required columns of a table of ratings."""

OPTIONAL_COLUMNS = ("reason", "player")


class Rating(NamedTuple):
    """Score by one judge of one player on one dimension.

    Attributes:
        item: Player and match, e.g. ``MATCH:SEAT``.
        judge: Label of the judge.
        dimension: Key of the dimension.
        score: 1 to 5; NaN if missing.
        reason: Reason given by the judge.
        player: Label of the judged player; may be empty.
        form: Form of the evidence; empty if unknown.
        characters: Characters of the full transcript.
        left_out: Characters of the match that the judge did not read.
    """

    item: str
    judge: str
    dimension: str
    score: float
    reason: str = ""
    player: str = ""
    form: str = ""
    characters: int = 0
    left_out: int = 0

    @property
    def match(self) -> str:
        """The part of the item up to its last colon; the item itself without a colon."""
        return self.item.rpartition(":")[0] or self.item


class RatingTable(NamedTuple):
    """A table of ratings.

    Attributes:
        dropped_cells: Messages on cells that were dropped because they are off the scale.
    """

    ratings: list[Rating]
    dropped_cells: list[str]


@check_arguments
def ratings_of(judgements: Iterable[Judgement]) -> Iterator[Rating]:
    """Yield the ratings of judgements; NaN for dimensions without a valid answer."""
    known = list(judgements)
    judges, players = labels(one.judge for one in known), labels(one.player for one in known)
    for one in known:
        evidence = one.read_form, one.characters, one.left_out
        for key, score in one.scores.items():
            value = math.nan if score is None else float(score)
            reason = one.reasons.get(key, "")
            yield Rating(one.item, judges[one.judge], key, value, reason, players[one.player], *evidence)


@check_arguments
def read_ratings(path: str | Path, rubric: Rubric, drop_off_scale: bool = False) -> RatingTable:
    """Read the ratings of a CSV file with columns item, judge, dimension, score, and optionally reason and player.

    An empty score is missing.

    Args:
        path: File.
        rubric: Rubric; dimensions are matched by key, name or short name.
        drop_off_scale: Whether to drop scores off the scale instead of raising.

    Raises:
        ValueError: A column is missing, a dimension unknown, a rating duplicate or off the scale; the message names row
            and column.
        FileNotFoundError: The file does not exist.
    """
    ratings: dict[tuple[str, str, str], Rating] = {}
    off: list[str] = []
    for number, row in _rows(Path(path)):
        where = f"{path}, row {number}"
        dimension = _dimension(where, row, rubric)
        score = _score(row["score"])
        if isinstance(score, Invalid):
            off.append(f"{where}, column score ({row['judge']} on {row['item']}, {dimension.short}): {score.text}")
            continue
        rating = Rating(
            row["item"], row["judge"], dimension.key, score, clean(row.get("reason", "")), row.get("player", "")
        )
        if ratings.setdefault(rating[:3], rating) is not rating:
            raise ValueError(f"{where}: duplicate rating of {dimension.short} of {rating.item} by {rating.judge}")
    if off and not drop_off_scale:
        more = f" ({len(off) - 1} more)" if len(off) > 1 else ""
        raise ValueError(f"{off[0]}{more}; --drop-off-scale drops such cells")
    return RatingTable(list(ratings.values()), off)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Row numbers (headings are row 1) and cells of the rows that are not blank."""
    (_, heads), *rows = [*read_csv_rows(path, strict=False)] or [(1, [])]
    _check_heads(path, heads)
    for number, (_, row) in enumerate(rows, start=2):
        if len(row) > len(heads):
            raise ValueError(
                f"{escape_name(path)}, row {number} has more cells than headings: quote cells that contain commas"
            )
        # A row may be shorter than the headings; a quote that protects spreadsheets from formulas is removed.
        cells = dict.fromkeys(heads, "") | {n: plain_text(cell.strip()) for n, cell in zip(heads, row, strict=False)}
        if any(cells.values()):
            yield number, cells


def _check_heads(path: Path, heads: Iterable[str]) -> None:
    heads = list(heads)
    missing = [name for name in REQUIRED_COLUMNS if name not in heads]
    unknown = [name for name in heads if name not in (*REQUIRED_COLUMNS, *OPTIONAL_COLUMNS)]
    if missing or unknown:
        wrong = f"the column {missing[0]!r} is missing" if missing else f"unknown column {short_repr(unknown[0])}"
        raise ValueError(
            f"{path}: {wrong}; allowed: {', '.join(REQUIRED_COLUMNS)}, and {' and '.join(OPTIONAL_COLUMNS)} if you like"
        )


def _dimension(where: str, row: Mapping[str, str], rubric: Rubric) -> Dimension:
    empty = [name for name in ("item", "judge") if not row[name]]
    if empty:
        raise ValueError(f"{where}, column {empty[0]}: empty cell, expected a name")
    found = rubric.find(row["dimension"])
    if found is None:
        allowed = ", ".join(d.key for d in rubric.dimensions)
        raise ValueError(
            f"{where}, column dimension: unknown dimension {short_repr(row['dimension'])}; allowed: {allowed}"
        )
    return found


def _score(cell: str) -> float | Invalid:
    if not cell:
        return math.nan
    found = parse_score_text(cell)
    return found if isinstance(found, Invalid) else float(found)
