"""The experiments of the K-level paper (arXiv:2402.01521, section 4): a tested player against four others of one kind.

The tested player sits in the first seat. Each measure is taken in every match and averaged over matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.record.record import Record
from econzoo.envs.families import k_level
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.days import AUCTION, GUESS, days_of
from econzoo.evaluate.analyses.alympics.indicator_table import Column, IndicatorTable, Row
from econzoo.evaluate.analyses.alympics.indicators_of import MEASURED, player_indicators
from econzoo.evaluate.stats.intervals import Interval

TESTED = 0
"""Seat of the tested player."""


class LevelGame(NamedTuple):
    """One match.

    Attributes:
        tested: Spec of the tested player.
        opponent: Spec of the others.
        seed: Of the match.
        measures: By key; NaN where not defined.
        deviations: How far the tested player was off in each round that it played.
    """

    tested: str
    opponent: str
    seed: int
    measures: dict[str, float]
    deviations: list[float]


class Kind(NamedTuple):
    """What is measured in a game.

    Attributes:
        title: Heading of its table.
        step: What a round is called.
        off: What a deviation is the distance to.
        columns: Measures.
        more: Measures of the tested player besides its indicators, from the days of a match.
    """

    title: str
    step: str
    off: str
    columns: tuple[Column, ...]
    more: Callable[[Sequence[Any]], dict[str, float]] = lambda days: {}


def _survival(days: Sequence[Any]) -> dict[str, float]:
    """Whether the tested player is alive at the end."""
    return {"survival_rate": float(days[-1].died[TESTED] == 0) if days else math.nan}


ADAPTION = Column(
    "adaption_index",
    "adaption",
    meaning="Adaption index: mean deviation in the second half of a match over that in the first, below 1 is adapting",
)
PREDICTION = Column(
    "prediction_error",
    "prediction error",
    meaning="Prediction error: distance between what the player predicted for the others and what they did",
)

PREDICTED = Column(
    "rounds_predicted",
    "predicted",
    1,
    meaning="Predicted: rounds of a match with a prediction that could be read",
)

KINDS: dict[str, Kind] = {
    GUESS: Kind(
        "Guess the average",
        "round",
        "the target",
        (
            Column("win_rate", "win rate", percent=True, meaning="Win rate: rounds won, alone or with others"),
            ADAPTION,
            PREDICTION,
            PREDICTED,
        ),
    ),
    AUCTION: Kind(
        "Survival auction",
        "day",
        "the highest other bid",
        (
            Column("survival_round", "survival round", 1, meaning="Survival round: the last day that the player saw"),
            Column(
                "survival_rate", "alive", percent=True, meaning="Alive: matches that the player survived", binary=True
            ),
            Column("win_rate", "win rate", percent=True, meaning="Win rate: days with water of those lived"),
            ADAPTION,
            PREDICTION,
            PREDICTED,
        ),
        _survival,
    ),
}
"""By the name of the game."""


def level_game(record: Record) -> LevelGame:
    """A match of an experiment.

    Raises:
        ValueError: Its moves do not fit the rules.
    """
    days = days_of(record, record.game)
    measures = {**player_indicators(record, TESTED)._asdict(), **KINDS[record.game].more(days)}
    deviations = MEASURED[record.game].deviations(days, TESTED)
    return LevelGame(record.labels[TESTED], record.labels[TESTED + 1], record.seed, measures, deviations)


def level_table(game: str, games: Iterable[LevelGame]) -> IndicatorTable:
    """The table of tested players and opponents.

    Args:
        game: Name, one of `KINDS`.
        games: See `level_game`.
    """
    columns = KINDS[game].columns
    rows = [_row(pair, found, columns) for pair, found in paired(games).items()]
    return IndicatorTable(KINDS[game].title, ("player", "against"), columns, rows)


def paired(games: Iterable[LevelGame]) -> dict[tuple[str, str], list[LevelGame]]:
    """Matches by player and opponent, and by seed."""
    out: dict[tuple[str, str], list[LevelGame]] = {}
    for game in games:
        out.setdefault((game.tested, game.opponent), []).append(game)
    return {pair: sorted(found, key=lambda game: game.seed) for pair, found in out.items()}


def _row(pair: tuple[str, str], games: Sequence[LevelGame], columns: Sequence[Column]) -> Row:
    return Row(pair, len(games), {c.key: _estimate(c, [game.measures[c.key] for game in games]) for c in columns})


def _estimate(column: Column, values: Sequence[float]) -> Interval:
    known = k_level.defined(values)
    return estimates.rate([value > 0 for value in known]) if column.binary and known else estimates.mean(values)


def match_rows(game: str, games: Iterable[LevelGame]) -> tuple[list[str], list[Sequence[Any]]]:
    """Heads and rows of a table with one row a match."""
    keys = [column.key for column in KINDS[game].columns]
    rows: list[Sequence[Any]] = [[g.tested, g.opponent, g.seed, *(g.measures[key] for key in keys)] for g in games]
    return ["player", "against", "seed", *keys], rows
