"""Table 3 of ALYMPICS: what judges said of agents, and people of themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analyses.judging.ratings import Rating, read_ratings
from econzoo.evaluate.analyses.judging.rubric import load_rubric
from econzoo.evaluate.analyses.published import Beside, Own, Place

STATISTICS: dict[str, Callable[[np.ndarray], Any]] = {
    "1st quartile": lambda scores: np.percentile(scores, 25),
    "median": np.median,
    "3rd quartile": lambda scores: np.percentile(scores, 75),
    "mean": np.mean,
    "sd": lambda scores: np.std(scores, ddof=1),
}
"""Rows of the table; quartiles are linear between scores, the standard deviation is that of a sample."""

NO_RATINGS = "The scores that judges gave to agents are printed nowhere; --ratings takes them."


def from_self_assessment(table: Place, people: Place) -> Beside:
    """The rows of people, by what each says of itself in Figure 10; those of agents follow from nothing printed."""
    return Beside("table-3", table, _of_people(people), people.title, [NO_RATINGS])


def _of_people(people: Place) -> list[Own]:
    columns = next(iter(people.cells.values()))
    return [*_rows("people", {name: [float(row[name]) for row in people.cells.values()] for name in columns})]


def beside_ratings(table: Place, people: Place, paths: Iterable[str]) -> Beside:
    """The table beside ratings of agents.

    Args:
        table: Table 3.
        people: What people say of themselves.
        paths: CSV files, see `econzoo.evaluate.analyses.judging.ratings.read_ratings`; scores off the scale are left
            out and told.

    Raises:
        ValueError: A file is no table of ratings.
        FileNotFoundError: There is no such file.
    """
    rubric = load_rubric("alympics")
    read = [read_ratings(path, rubric, drop_off_scale=True) for path in paths]
    ratings = [rating for one in read for rating in one.ratings]
    shorts = {one.key: one.short for one in rubric.dimensions}
    scores: dict[str, list[float]] = {}
    for rating in ratings:
        scores.setdefault(shorts[rating.dimension], []).append(rating.score)
    dropped = [f"Left out: {text}." for one in read for text in one.dropped]
    return Beside(
        "table-3", table, [*_rows("agents", scores), *_of_people(people)], "ratings", [_told(ratings), *dropped]
    )


def _told(ratings: Sequence[Rating]) -> str:
    judges, items = ({rating[at] for rating in ratings} for at in (1, 0))
    return f"{many(len(ratings), 'rating')} of {many(len(items), 'player')} by {many(len(judges), 'judge')}."


def _rows(who: str, scores: Mapping[str, Sequence[float]]) -> Iterator[Own]:
    known = {column: np.array([one for one in given if not np.isnan(one)]) for column, given in scores.items()}
    for row, statistic in STATISTICS.items():
        for column, given in known.items():
            yield Own(f"{who}: {row}", column, float(statistic(given)))
