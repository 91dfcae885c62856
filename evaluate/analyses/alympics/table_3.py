"""Table 3 of ALYMPICS: judges' scores of agents, and self-ratings of people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses import Comparison, OwnNumber, Place
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.water_figures import HIGH, WIDE
from econzoo.evaluate.analyses.judging import Rating, load_rubric, read_ratings
from econzoo.evaluate.show import SERIES, apply_style, legend, number_of
from econzoo.evaluate.stats import CONFIDENCE, Interval, quantile

STATISTICS: dict[str, Callable[[np.ndarray], Any]] = {
    "1st quartile": lambda scores: np.percentile(scores, 25),
    "median": np.median,
    "3rd quartile": lambda scores: np.percentile(scores, 75),
    "mean": np.mean,
    "sd": lambda scores: np.std(scores, ddof=1),
}
"""Rows of the table; quartiles are interpolated linearly, the standard deviation is that of a sample."""

SHEETS = 150
"""The paper's sheets: each of 30 players by five judges."""

SHOWN_ROWS = ("1st quartile", "mean", "3rd quartile")

NO_RATINGS = "The paper does not print judges' scores of agents; add them with --ratings."


def compare_self_assessment(table: Place, people: Place) -> Comparison:
    """Compute the rows of people from the self-ratings of Figure 10; those of agents cannot be derived."""
    return Comparison("table-3", table, _people_numbers(people), people.title, [NO_RATINGS])


def _people_numbers(people: Place) -> list[OwnNumber]:
    columns = next(iter(people.cells.values()))
    return [*_rows("people", {name: [float(row[name]) for row in people.cells.values()] for name in columns})]


def compare_ratings(table: Place, people: Place, paths: Iterable[str]) -> Comparison:
    """Compare the table with ratings of agents.

    Args:
        table: Table 3.
    """
    rubric = load_rubric("alympics")
    files = [read_ratings(path, rubric, drop_off_scale=True) for path in paths]
    ratings = [rating for one in files for rating in one.ratings]
    shorts = {one.key: one.short for one in rubric.dimensions}
    scores: dict[str, dict[str, list[float]]] = {}
    for rating in ratings:
        if not math.isnan(rating.score):
            scores.setdefault(shorts[rating.dimension], {}).setdefault(rating.item, []).append(rating.score)
    agents = [*_rows("agents", {column: [*chain(*by_player.values())] for column, by_player in scores.items()})]
    # As many sheets as the paper's are taken to be the paper's, whose numbers can be recounted exactly.
    if len({(rating.item, rating.judge) for rating in ratings}) != SHEETS:
        agents = [_estimate(one, [*scores[one.cell].values()], table) for one in agents]
    dropped = [f"Left out: {text}." for one in files for text in one.dropped_cells]
    return Comparison(
        "table-3",
        table,
        [*agents, *_people_numbers(people)],
        "ratings",
        [_describe_ratings(ratings), *dropped],
    )


def _describe_ratings(ratings: Sequence[Rating]) -> str:
    judges, items = ({rating[at] for rating in ratings} for at in (1, 0))
    return (
        f"{format_count(len(ratings), 'rating')} of {format_count(len(items), 'player')} by "
        f"{format_count(len(judges), 'judge')}."
    )


def _rows(who: str, scores: Mapping[str, Sequence[float]]) -> Iterator[OwnNumber]:
    for row, statistic in STATISTICS.items():
        for column, values in scores.items():
            yield OwnNumber(f"{who}: {row}", column, float(statistic(np.array(values))))


def _estimate(number: OwnNumber, scores: Sequence[Sequence[float]], table: Place) -> OwnNumber:
    """A number of scores by player: a mean with its interval over players, else an estimate without interval."""
    if number.row != "agents: mean":
        return number._replace(value=estimates.exact_interval(number_of(number.value) or 0.0, len(scores)))
    # The paper prints the deviation of scores, not of players' means: with it the printed mean has an interval over
    # players as wide as if each player had one score.
    middle, spread = (float(table.cells[f"agents: {row}"][number.cell]) for row in ("mean", "sd"))
    half = quantile((1 + CONFIDENCE) / 2, table.games - 1) * spread / math.sqrt(table.games)
    return number._replace(
        value=estimates.ratio([sum(own) for own in scores], [len(own) for own in scores]),
        printed_interval=Interval(middle, middle - half, middle + half, table.games),
    )


@apply_style
def comparison_figure(table: Comparison) -> Figure:
    """Plot mean (dot) and quartiles (line) of judges' scores and of people's self-ratings (Figure 5 of ALYMPICS)."""
    ours = {(one.row, one.cell): number_of(one.value) or 0.0 for one in table.numbers}
    figure = Figure(figsize=(WIDE, HIGH * 1.4), layout="constrained")
    ax = figure.subplots()
    columns = list(next(iter(table.place.cells.values())))
    for who, shift, colour in (("agents", -0.12, SERIES[0]), ("people", 0.12, SERIES[1])):
        known = [(at + shift, column) for at, column in enumerate(columns) if (f"{who}: mean", column) in ours]
        low, mean, high = ([ours[f"{who}: {row}", column] for _, column in known] for row in SHOWN_ROWS)
        ax.vlines([at for at, _ in known], low, high, color=colour, linewidth=2, alpha=0.5)
        ax.plot([at for at, _ in known], mean, "o", color=colour, label=who)
    ax.set_xticks(range(len(columns)), columns)
    ax.set_ylim(1, 5.1)
    ax.set_ylabel("score")
    legend(figure, 8.5)
    return figure
