"""The experiments of the K-level paper (arXiv:2402.01521, section 4): a tested player against four others of one kind.

The tested player sits in the first seat. Each measure is taken in every match and averaged over matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.record import Record
from econzoo.envs.games.guess_average import indicators as guess
from econzoo.envs.games.survival_auction import indicators as auction
from econzoo.envs.survival import k_level
from econzoo.evaluate.alympics import estimates
from econzoo.evaluate.alympics.days import auction_days, guess_rounds
from econzoo.evaluate.alympics.indicator_table import Column, IndicatorTable, Row
from econzoo.evaluate.alympics.indicators_of import auction_indicators, guess_indicators
from econzoo.evaluate.statistics import Interval

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
        columns: Measures.
        off: What a deviation is the distance to.
        measured: Makes a `LevelGame` of a record.
    """

    columns: tuple[Column, ...]
    off: str
    measured: Callable[[Record], LevelGame]


def _guess(record: Record) -> LevelGame:
    found, rounds = guess_indicators(record, TESTED), guess_rounds(record)
    return _game(record, found._asdict(), guess.deviations(rounds, TESTED))


def _auction(record: Record) -> LevelGame:
    found, days = auction_indicators(record, TESTED), auction_days(record)
    measures = {**found._asdict(), "survival_rate": float(days[-1].died[TESTED] == 0) if days else math.nan}
    return _game(record, measures, auction.deviations(days, TESTED))


def _game(record: Record, measures: dict[str, float], deviations: list[float]) -> LevelGame:
    return LevelGame(record.players[TESTED], record.players[TESTED + 1], record.seed, measures, deviations)


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

KINDS: dict[str, Kind] = {
    "guess_average": Kind(
        (
            Column("win_rate", "win rate", percent=True, meaning="Win rate: rounds won, alone or with others"),
            ADAPTION,
            PREDICTION,
        ),
        "the target",
        _guess,
    ),
    "survival_auction": Kind(
        (
            Column("survival_round", "survival round", 1, meaning="Survival round: the last day that the player saw"),
            Column(
                "survival_rate", "alive", percent=True, meaning="Alive: matches that the player survived", binary=True
            ),
            Column("win_rate", "win rate", percent=True, meaning="Win rate: days with water of those lived"),
            ADAPTION,
            PREDICTION,
        ),
        "the highest other bid",
        _auction,
    ),
}
"""By the name of the game."""


def level_games(records: Iterable[Record]) -> list[LevelGame]:
    """The matches of an experiment.

    Raises:
        ValueError: Moves do not fit the rules.
    """
    return [KINDS[record.game].measured(record) for record in records]


def level_table(game: str, games: Iterable[LevelGame], title: str) -> IndicatorTable:
    """The table of tested players and opponents.

    Args:
        game: Name, one of `KINDS`.
        games: See `level_games`.
        title: Heading.
    """
    columns = KINDS[game].columns
    rows = [_row(pair, found, columns) for pair, found in paired(games).items()]
    return IndicatorTable(title, ("player", "against"), columns, rows)


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
