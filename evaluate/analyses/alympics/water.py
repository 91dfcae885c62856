"""The analysis ``water``: survival, scarcity and bids in the Water Allocation Challenge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Annotated, Any

from econzoo.envs.core import format_count
from econzoo.envs.core.contract import Flag, Option
from econzoo.envs.games.water_allocation.indicators import rsr_end, rsr_start
from econzoo.evaluate.analyses import Case, describe, gap_tables, group_gaps_to_best, merge_played_games, order_warning
from econzoo.evaluate.analyses.alympics import water_figures
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.game_collection import GameCollection, collect_records, merge_collections
from econzoo.evaluate.analyses.alympics.game_collection import read_games
from econzoo.evaluate.analyses.alympics.survival_bounds import SurvivalSearch
from econzoo.evaluate.analyses.alympics.table_2 import DIED, LIVED
from econzoo.evaluate.analyses.alympics.water_games import WaterGame, group_by_lineup
from econzoo.evaluate.analyses.alympics.water_table import paper_order, sort_by_setting, water_tables
from econzoo.evaluate.run import Records
from econzoo.evaluate.show import HEADING, NOTE, PAGE, RAW, SHARE, SUBHEADING, TEXT, Column, Divider, Figure, Page, Part
from econzoo.evaluate.show import Table, Text, file_table, method_section

TABLES_FOLDER = "tables"
"""Subfolder of the records' folder with the results of `SurvivalSearch`."""

GAP_COLUMNS = Column("setting", kind=TEXT), Column("lineup", "line-up", TEXT)
GAP_TITLE = "Survivors: gap to the best line-up, paired by game"
SEEDS_NOTE = "Paired by setting and seed (common random numbers)."
METHOD = (
    "All line-ups play a setting with the same seeds (common random numbers); settings share none. Every match was "
    "verified by a replay."
)
IMPORTED_NOTE = (
    "Imported games have random numbers of their own. Those in ALYMPICS' format are used as printed, records as "
    "replayed."
)

ExtraGames = Annotated[
    list[str], Option(meaning="Published games (JSON, folder, zip) or records to include (repeatable).")
]

SearchFlag = Annotated[bool, Option(Flag(), "Compute the maximum number of survivors (up to 30 seconds per game).")]

GamesByLineup = Mapping[tuple[str, str], Sequence[WaterGame]]
"""Games by line-up and setting."""


def water(
    records: Records,
    *,
    beside: ExtraGames = [],  # noqa: B006  as typer reads it
    paper: Annotated[bool, Option(Flag(), "Show the published numbers for comparison.")] = True,
    possible: SearchFlag = False,
) -> Page:
    """Analyze the Water Allocation Challenge: survival and its upper bound, scarcity, bids.

    Args:
        records: Matches of water_allocation; may be empty if `beside` is given. Each is replayed; records that do not
            replay and unfinished matches are left out and reported.
        paper: Whether to show rows of ALYMPICS' Table 2 below those of its settings.
    """
    own, others = gather(records, beside)
    games = [*own.games, *sorted(others.games, key=paper_order)]
    found = merge_collections([own, others])
    name, by_setting = records.folder.resolve().name, sort_by_setting(group_by_lineup(games))
    # Own games only: imported ones have random numbers of their own, so that equal seeds pair nothing.
    gaps = group_gaps_to_best(Case(one.setting, one.lineup, one.seed, float(sum(one.alive))) for one in own.games)
    warning = order_warning(records, [WATER], lambda one: one.status == "finished")
    parts: list[Part] = [
        *warning,
        *describe(merge_played_games(None, WATER, found.settings, found.players), [records.place]),
        Text("Results", HEADING, places=(PAGE,)),
        *(Text(f"{note}.", NOTE) for note in found.notes),
        *water_tables(
            games,
            "Water Allocation Challenge",
            paper,
            SurvivalSearch(records.place / TABLES_FOLDER) if possible else None,
        ),
        *([] if warning else gap_tables(gaps, GAP_TITLE, GAP_COLUMNS, SEEDS_NOTE)),
        *run_tables(by_setting, places=(PAGE,)),
        file_table("days", DAYS, _days(games), RAW),
        *_figures(games),
        *method_section(f"{METHOD} {IMPORTED_NOTE}" if others.games else METHOD),
    ]
    lineups, settings = ({key[at] for key in by_setting} for at in (0, 1))
    facts = [
        format_count(len(own.games), "match"),
        format_count(len(lineups), "line-up"),
        format_count(len(settings), "setting"),
    ]
    facts += [f"{format_count(len(others.games), 'game')} imported"] * bool(others.games)
    return Page("water", f"Water Allocation Challenge: {name}", parts, facts, found.problems)


def gather(records: Records, paths: Iterable[str]) -> tuple[GameCollection, GameCollection]:
    """Collect the games of records, and those of other files."""
    others = read_games(paths)
    own = collect_records(records.verify(), str(records.folder), records.design) if records else GameCollection()
    if not own.games and not others.games:
        first = f": {own.problems[0]}" if own.problems else ""
        raise ValueError(f"no finished match of {WATER} in {records.folder}{first}")
    return own, others


# Run by run

RUNS = ("setting", "lineup", "seed", "resident", "alive", "rsr_end")


def run_tables(games: GamesByLineup, places: tuple[str, ...]) -> Iterator[Table]:
    """Tabulate survival by game, with the columns of ALYMPICS' Table 2."""
    rows = [
        (setting, lineup, game.seed, name, int(alive), rsr_end(game.params, game.days))
        for (lineup, setting), own in games.items()
        for game in own
        for name, alive in zip(game.names, game.alive, strict=True)
    ]
    yield file_table("runs", RUNS, rows)
    names = list(dict.fromkeys(name for own in games.values() for name in own[0].names))
    columns = [
        Column("game", kind=TEXT),
        *(Column(name, kind=SHARE) for name in names),
        Column("rsr_start", "RSR start", digits=2),
        Column("rsr_end", "RSR end", digits=2),
    ]
    lines = [line for key, own in games.items() for line in _run_lines(key, own, names)]
    note = "Survival to the last day by game (its number or seed), and mean over games."
    yield Table("runs", "Run by run", columns, lines, note, places=places)


def _run_lines(key: tuple[str, str], games: Sequence[WaterGame], names: Sequence[str]) -> Iterator[Any]:
    yield Divider(f"{key[1]}: {key[0]}")
    ends = [dict(zip(game.names, game.alive, strict=True)) for game in games]
    rsr = [(rsr_start(game.params), rsr_end(game.params, game.days)) for game in games]
    for game, alive, both in zip(games, ends, rsr, strict=True):
        marks = [None if name not in alive else LIVED if alive[name] else DIED for name in names]
        yield [str(game.seed), *marks, *both]
    means = [fmean(alive[name] for alive in ends) if name in ends[0] else None for name in names]
    yield ["mean", *means, *(fmean(one[at] for one in rsr) for at in (0, 1))]


# Day by day

DAYS = (
    *("lineup", "setting", "seed", "day", "supply", "resident"),
    *("bid", "budget", "place", "balance", "health", "no_water_days"),
)


def _days(games: Iterable[WaterGame]) -> Iterator[Sequence[Any]]:
    """One row per living resident and day."""
    for game in games:
        for day in game.days:
            # Only the living bid.
            for seat in (seat for seat, bid in enumerate(day.bids) if not math.isnan(bid)):
                place = day.winners.index(seat) + 1 if seat in day.winners else 0
                start = (game.lineup, game.setting, game.seed, day.day, day.supply, game.names[seat])
                state = (day.balances[seat], day.healths[seat], day.no_water_days[seat])
                yield (*start, day.bids[seat], day.budgets[seat], place, *state)


CURVES = (
    ("bids", water_figures.bid, "dollars", "Bids", "Mean bid of those alive."),
    ("health", water_figures.health, "health points", "Health", "Health in the evening, 0 for the dead."),
    ("balances", water_figures.balance, "dollars", "Balances", "Money in the evening of those alive in the morning."),
)


def _figures(games: Iterable[WaterGame]) -> Iterator[Part]:
    """The five figures of each line-up."""
    by_lineup: dict[str, dict[str, list[WaterGame]]] = {}
    for (who, setting), own in group_by_lineup(games).items():
        by_lineup.setdefault(who, {})[setting] = own
    yield Text("Figures", HEADING, places=(PAGE,))
    for at, (who, settings) in enumerate(by_lineup.items()):
        end = f"-{at + 1}" if at else ""
        yield Text(who, SUBHEADING, places=(PAGE,))
        boxes = water_figures.minimum_bid_figure(settings)
        note = "Lowest served bid: boxes over games, their median by day, and the mean of these medians."
        yield Figure(f"minimum-bid{end}", "Minimum successful bid", note, boxes, who)
        ends = water_figures.survivors_figure(settings)
        yield Figure(f"survivors{end}", "Survivors", "Survivors and RSR at the end: boxes over games.", ends, who)
        for name, value, label, heading, meaning in CURVES:
            note = f"{meaning} Mean over games with 95% interval; grey: RSR of those alive in the morning."
            yield Figure(f"{name}{end}", heading, note, water_figures.curves_figure(settings, value, label), who)
