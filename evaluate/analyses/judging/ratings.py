"""Ratings one by one: from judgements that were made here, and from the table of a study of your own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.core.contract.validation import Invalid, clean, short_repr
from econzoo.envs.core.files import escape_name, read_csv_rows
from econzoo.envs.core.record.spec import labels
from econzoo.evaluate.analyses.judging.judgements import Judgement
from econzoo.evaluate.analyses.judging.rubric import Dimension, Rubric, parse_score_text
from econzoo.evaluate.show.csv_files import plain_text

__all__ = ["Rating", "ratings_of", "read_ratings"]

REQUIRED_COLUMNS = ("item", "judge", "dimension", "score")
"""Columns that a table of ratings must have."""

OPTIONAL_COLUMNS = ("reason", "player")
"""Columns that it may have."""


class Rating(NamedTuple):
    """What one judge said about one player on one dimension.

    Attributes:
        item: Names player and match, e.g. ``MATCH:SEAT``.
        judge: The judge's label.
        dimension: Key of the dimension.
        score: 1 to 5; NaN if there is none.
        reason: The judge's words.
        player: Label of who is judged; may be empty.
        form: How the match was told to the judge; empty: not known.
        characters: Of the whole transcript.
        left_out: Characters of what was written in the match that the judge did not read.
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
        """What stands before the last colon of the item; an item without one is a match of its own."""
        return self.item.rpartition(":")[0] or self.item


class RatingTable(NamedTuple):
    """A table that was read.

    Attributes:
        ratings: One for each row.
        dropped_cells: Cells that were left out because they are off the scale, in words.
    """

    ratings: list[Rating]
    dropped_cells: list[str]


def ratings_of(judgements: Iterable[Judgement]) -> Iterator[Rating]:
    """The ratings of judgements; a dimension that was asked without success has the score NaN."""
    known = list(judgements)
    judges, players = labels(one.judge for one in known), labels(one.player for one in known)
    for one in known:
        told = one.read_form, one.characters, one.left_out
        for key, score in one.scores.items():
            value = math.nan if score is None else float(score)
            reason = one.reasons.get(key, "")
            yield Rating(one.item, judges[one.judge], key, value, reason, players[one.player], *told)


def read_ratings(path: str | Path, rubric: Rubric, drop_off_scale: bool = False) -> RatingTable:
    """The ratings of a CSV file with the columns item, judge, dimension, score and perhaps reason and player.

    An empty score is a missing one.

    Args:
        path: The file.
        rubric: Names the dimensions: by key, name or short name.
        drop_off_scale: Leave out what is off the scale instead of refusing the file.

    Raises:
        ValueError: A column is missing, a dimension unknown, a rating given twice or off the scale; the message names
            row and column.
        FileNotFoundError: No such file.
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
        made = Rating(
            row["item"], row["judge"], dimension.key, score, clean(row.get("reason", "")), row.get("player", "")
        )
        if ratings.setdefault(made[:3], made) is not made:
            raise ValueError(
                f"{where}: {made.judge} rates {dimension.short} of {made.item} a second time; allowed: once"
            )
    if off and not drop_off_scale:
        more = f" ({len(off) - 1} more)" if len(off) > 1 else ""
        raise ValueError(f"{off[0]}{more}; --drop-off-scale leaves such cells out")
    return RatingTable(list(ratings.values()), off)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Number (as a spreadsheet counts, the heads are row 1) and cells of each row that is not blank."""
    (_, heads), *rows = [*read_csv_rows(path, strict=False)] or [(1, [])]
    _check_heads(path, heads)
    for number, (_, row) in enumerate(rows, start=2):
        if len(row) > len(heads):
            raise ValueError(
                f"{escape_name(path)}, row {number} has more cells than heads; allowed: quote cells with commas"
            )
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
        raise ValueError(f"{where}, column {empty[0]}: the cell is empty; allowed: a name")
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
