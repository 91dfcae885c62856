"""The analysis ``levels``: the experiments of the K-level paper (arXiv:2402.01521, section 4).

A tested player in the first seat plays against four opponents of one kind. Measures are computed per match and averaged
over matches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure as Drawing

from econzoo.envs.core import format_count
from econzoo.envs.core.record import Record
from econzoo.envs.families import k_level
from econzoo.evaluate.analyses import Case, describe, gap_tables, group_gaps_to_best, order_warning, played_games
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.days import AUCTION, GUESS, days_of
from econzoo.evaluate.analyses.alympics.game_collection import describe_excluded, sort_by_design
from econzoo.evaluate.analyses.alympics.indicators import Row, indicator_tables
from econzoo.evaluate.analyses.alympics.match_indicators import INDICATOR_MODULES, player_indicators
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import HEADING, PAGE, SHARE, TEXT, WIDTH, Column, Figure, Page, Part, Text, apply_style
from econzoo.evaluate.show import capitalize_first, file_table, legend, mean_with_band, method_section, series_styles
from econzoo.evaluate.show import set_integer_ticks, wrap_label
from econzoo.evaluate.stats import Interval

TESTED_SEAT = 0
"""Seat of the tested player."""

ALIVE = "survival_rate"
"""The measure that is 0 or 1 in each match."""

KEY_COLUMNS = Column("player", kind=TEXT), Column("opponent", "against", TEXT)
GAP_COLUMNS = Column("opponent", "against", TEXT), Column("player", kind=TEXT)
SEEDS_NOTE = "Paired by seed (common random numbers)."
METHOD = "All pairs play with the same seeds (common random numbers). Every match was verified by a replay."


class LevelGame(NamedTuple):
    """One match.

    Attributes:
        measures: Key to value; NaN if undefined.
        deviations: The tested player's deviation in each round that it played.
    """

    tested_player: str
    opponent: str
    seed: int
    measures: dict[str, float]
    deviations: list[float]


class Kind(NamedTuple):
    """The measures of a game.

    Attributes:
        target: Target from which deviations are measured.
        extra_measures: Measures of the tested player besides its indicators, from the days of a match.
    """

    title: str
    round_name: str
    target: str
    columns: tuple[Column, ...]
    extra_measures: Callable[[Sequence[Any]], dict[str, float]] = lambda days: {}


def _survival(days: Sequence[Any]) -> dict[str, float]:
    """The tested player's survival, 0 or 1."""
    return {ALIVE: float(days[-1].died[TESTED_SEAT] == 0) if days else math.nan}


ADAPTION = Column(
    "adaption_index",
    "adaption",
    digits=2,
    meaning="Adaption index: mean deviation in the second half of a match over that in the first, below 1 is adapting",
)
PREDICTION = Column(
    "prediction_error",
    "prediction error",
    digits=2,
    meaning="Prediction error: distance between the player's predictions of the others' moves and these moves",
)

PREDICTED_ROUNDS = Column(
    "rounds_predicted",
    "predicted",
    digits=1,
    meaning="Predicted: rounds of a match with a parsable prediction",
)

KINDS: dict[str, Kind] = {
    GUESS: Kind(
        "Guess the average",
        "round",
        "the target",
        (
            Column("win_rate", kind=SHARE, show_interval=True, meaning="Win rate: share of rounds won, ties included"),
            ADAPTION,
            PREDICTION,
            PREDICTED_ROUNDS,
        ),
    ),
    AUCTION: Kind(
        "Survival auction",
        "day",
        "the highest other bid",
        (
            Column(
                "survival_round",
                digits=1,
                show_interval=True,
                meaning="Survival round: the player's last day",
            ),
            Column(ALIVE, "alive", SHARE, meaning="Alive: share of matches that the player survived"),
            Column("win_rate", kind=SHARE, meaning="Win rate: share of days alive with water"),
            ADAPTION,
            PREDICTION,
            PREDICTED_ROUNDS,
        ),
        _survival,
    ),
}
"""Game to its measures."""


def levels(records: Records) -> Page:
    """Analyze tested players against opponents of one kind: win rates, survival, adaption, predictions."""
    found = records.verify()
    used = sort_by_design(records.design, [one for one in found if one.game in KINDS and one.status == "finished"])
    problems = [*map(str, found.unreadable), *describe_excluded(found, tuple(KINDS))]
    if not used:
        first = f": {problems[0]}" if problems else ""
        raise ValueError(f"no finished match of {' or '.join(KINDS)} in {records.folder}{first}")
    by_game: dict[str, list[LevelGame]] = {}
    for record in used:
        by_game.setdefault(record.game, []).append(level_game(record))
    parts: list[Part] = list(describe(played_games(used, records.design), [records.place]))
    for game, games in by_game.items():
        warning = order_warning(found, [game], lambda one: one.status == "finished")
        parts += [*warning, *_parts(game, games, f"_{game}" if len(by_game) > 1 else "", not warning)]
    parts += method_section(METHOD)
    title = " and ".join(KINDS[game].title for game in by_game)
    facts = [
        format_count(len(used), "match"),
        format_count(sum(len(group_by_pair(games)) for games in by_game.values()), "pair"),
    ]
    return Page("levels", f"{title}: {records.folder.resolve().name}", parts, facts, problems)


def _parts(game: str, games: Sequence[LevelGame], end: str, is_ordered: bool) -> Iterator[Part]:
    """The tables and the figure of a game; `end` is the suffix of their file names."""
    kind = KINDS[game]
    yield Text(kind.title, HEADING, places=(PAGE,))
    yield from indicator_tables(f"indicators{end}", KEY_COLUMNS, level_rows(game, games), {kind.title: kind.columns})
    first = kind.columns[0]
    gaps = group_gaps_to_best(Case(one.opponent, one.tested_player, one.seed, one.measures[first.key]) for one in games)
    title = f"{capitalize_first(first.title)}: gap to the best player, paired by game"
    yield from gap_tables(gaps, title, GAP_COLUMNS, SEEDS_NOTE, f"differences{end}") if is_ordered else ()
    note = f"Distance of the tested player to {kind.target}, by {kind.round_name}: mean over matches with 95% interval."
    yield Figure(f"deviation{end}", "Adaption", note, deviation_figure(games, kind.target, kind.round_name))
    measures = [column.key for column in kind.columns]
    rows = ([one.tested_player, one.opponent, one.seed, *map(one.measures.get, measures)] for one in games)
    yield file_table(f"matches{end}", ("player", "opponent", "seed", *measures), rows)


def level_game(record: Record) -> LevelGame:
    days = days_of(record, record.game)
    measures = {**player_indicators(record, TESTED_SEAT)._asdict(), **KINDS[record.game].extra_measures(days)}
    deviations = INDICATOR_MODULES[record.game].deviations(days, TESTED_SEAT)
    # All opponents are of one kind, so the next seat names it.
    return LevelGame(record.labels[TESTED_SEAT], record.labels[TESTED_SEAT + 1], record.seed, measures, deviations)


def level_rows(game: str, games: Iterable[LevelGame]) -> list[Row]:
    """Return one row per tested player and opponent."""
    return [
        Row(
            pair,
            len(matches),
            {one.key: _estimate(one, [match.measures[one.key] for match in matches]) for one in KINDS[game].columns},
        )
        for pair, matches in group_by_pair(games).items()
    ]


def group_by_pair(games: Iterable[LevelGame]) -> dict[tuple[str, str], list[LevelGame]]:
    """Group matches by player and opponent, sorted by seed."""
    out: dict[tuple[str, str], list[LevelGame]] = {}
    for game in games:
        out.setdefault((game.tested_player, game.opponent), []).append(game)
    return {pair: sorted(matches, key=lambda game: game.seed) for pair, matches in out.items()}


def _estimate(column: Column, values: Sequence[float]) -> Interval:
    known = k_level.drop_nan(values)
    # Survival is 0 or 1 in each match, so its mean is a binomial share; other shares are means of rates per match.
    return estimates.rate([value > 0 for value in known]) if column.key == ALIVE and known else estimates.mean(values)


@apply_style
def deviation_figure(games: Sequence[LevelGame], target: str, round_name: str) -> Drawing:
    """Plot each tested player's mean deviation by round, one line per kind of opponent."""
    tested = list(dict.fromkeys(game.tested_player for game in games))
    figure = Drawing(figsize=(WIDTH, 0.6 + 2.0 * len(tested)), layout="constrained")
    panels = figure.subplots(len(tested), 1, squeeze=False, sharex=True)[:, 0]
    styles = series_styles([*(game.opponent for game in games), *tested])
    for (player, opponent), matches in group_by_pair(games).items():
        mean_with_band(
            panels[tested.index(player)], estimates.means(_deviations_by_round(matches)), styles[opponent], opponent
        )
    for player, ax in zip(tested, panels, strict=True):
        ax.set_title(wrap_label(player, WIDTH - 1, 9), fontsize=9, loc="left")
        ax.set_ylim(bottom=0.0)
    panels[-1].set_xlabel(round_name)
    figure.supylabel(f"distance to {target}", fontsize=9.5)
    set_integer_ticks(panels[-1])
    legend(figure, 8.5)
    return figure


def _deviations_by_round(games: Sequence[LevelGame]) -> np.ndarray:
    """Deviations, shape (matches, rounds); NaN for unplayed rounds."""
    out = np.full((len(games), max((len(game.deviations) for game in games), default=0)), math.nan)
    for at, game in enumerate(games):
        out[at, : len(game.deviations)] = game.deviations
    return out
