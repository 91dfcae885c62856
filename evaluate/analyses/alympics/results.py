"""What an experiment found: tables, figures and a page, made from the matches of its folder as often as one likes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import identity
from econzoo.evaluate.analyses.alympics import level_figures, run_grid, water_figures
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.indicator_table import IndicatorTable, to_csv, to_latex
from econzoo.evaluate.analyses.alympics.levels import KINDS, level_game, level_table, match_rows
from econzoo.evaluate.analyses.alympics.published_games import Beside
from econzoo.evaluate.analyses.alympics.run_grid import RunGrid
from econzoo.evaluate.analyses.alympics.survival_bounds import Possible
from econzoo.evaluate.analyses.alympics.water_games import WaterGame, grouped, of_record
from econzoo.evaluate.analyses.alympics.water_table import paper_first, setting_by_setting, water_table
from econzoo.evaluate.analyses.gap_to_best import Behind, Case, behind_best, best_tables
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.run.plan import Plan
from econzoo.evaluate.run.replay import misplayed
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.csv_files import write_csv
from econzoo.evaluate.show.figure_files import Drawn, write_figures
from econzoo.evaluate.show.numbers import capitalized

TABLES, FIGURES = "tables", "figures"
"""Folders in the folder of an experiment."""

Rows = tuple[Sequence[str], list[Sequence[Any]]]
"""The heads of a table, and its rows."""


@dataclass(frozen=True)
class Made:
    """What is made of matches.

    Attributes:
        table: The indicators.
        figures: See `Drawn`.
        rows: Tables of plain numbers by the names of their files, for those who want to draw their own.
        grids: Who lived, run by run.
        differences: How far line-ups are behind the best one.
    """

    table: IndicatorTable
    figures: list[Drawn]
    rows: dict[str, Rows]
    grids: list[RunGrid] = field(default_factory=list)
    differences: list[TextTable] = field(default_factory=list)


@dataclass(frozen=True)
class Results:
    """What an experiment found.

    Attributes:
        plan: Of its matches; None: there are only games from elsewhere.
        game: Name of the game.
        made: Tables and figures.
        played: Own matches that the numbers are made of.
        beside: Games from elsewhere that they are made of, and what is to be said of these.
        problems: What was left out, in sentences.
    """

    plan: Plan | None
    game: str
    made: Made
    played: int
    beside: Beside = field(default_factory=Beside)
    problems: list[str] = field(default_factory=list)

    @property
    def table(self) -> IndicatorTable:
        """The indicators."""
        return self.made.table


def read_results(plan: Plan | None, folder: str | Path, beside: Beside = Beside()) -> Results:  # noqa: B008
    """What the matches of a folder say, and games from elsewhere beside them.

    Every match is replayed. Those that are not as the rules say, that are not of the plan, or that did not come to
    their end are left out, and told. How many could have lived is kept in the folder of tables, so that it is not
    searched for again (see `econzoo.evaluate.analyses.alympics.survival_bounds`).

    Args:
        plan: See `econzoo.evaluate.suites.alympics`; None: nothing was played here.
        folder: Of the plan.
        beside: What stands beside the matches.

    Raises:
        FileNotFoundError: There are no records.
        ValueError: No match can be used.
    """
    ended, problems = _ended(plan, folder) if plan else ([], [])
    game = plan.game if plan else WATER
    made = MAKERS[game](plan, ended, Path(folder) / TABLES, beside)
    return Results(plan, game, made, len(ended), beside, [*problems, *beside.problems])


def _ended(plan: Plan, folder: str | Path) -> tuple[list[Record], list[str]]:
    """The matches of a plan that can be used, and what cannot."""
    records, bad = read_folder(folder, misplayed)
    planned = {id for _, id in plan.identified()}
    mine = [record for record in records if record.id in planned]
    ended = sorted((one for one in mine if one.status == "finished"), key=lambda one: one.seed)
    problems = [str(one) for one in bad] + _left_out(mine)
    if not ended:
        raise ValueError(f"no match in {folder} came to its end{f': {problems[0]}' if problems else ''}")
    return _in_order(plan, ended), problems


def _left_out(records: Iterable[Record]) -> list[str]:
    """One sentence for every way in which matches did not come to their end."""
    early = Counter(record.status for record in records if record.status != "finished")
    return [f"{many(count, 'match')} {status}: left out of the numbers" for status, count in early.items()]


def _in_order(plan: Plan, records: Iterable[Record]) -> list[Record]:
    """The records in the order of the plan's line-ups and markets."""
    seatings = {_who(players): at for at, players in enumerate(plan.seatings())}
    markets = {market.name: at for at, market in enumerate(plan.markets)}

    def place(record: Record) -> tuple[int, int, int]:
        return seatings[_who(record.players)], markets[plan.market_of(record.params) or ""], record.seed

    return sorted(records, key=place)


def _who(specs: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(identity, specs))


# Water allocation


def _water(plan: Plan | None, records: Sequence[Record], kept: Path, beside: Beside) -> Made:
    games = [*(of_record(record, plan) for record in records), *sorted(beside.games, key=paper_first)]
    table = water_table(games, "Water Allocation Challenge", beside.paper, Possible(kept))
    sorts = setting_by_setting(grouped(games))
    by_lineup: dict[str, dict[str, list[WaterGame]]] = {}
    for (who, setting), found in grouped(games).items():
        by_lineup.setdefault(who, {})[setting] = found
    figures = [one for at, (who, found) in enumerate(by_lineup.items()) for one in _drawn(who, at, found)]
    rows: dict[str, Rows] = {
        "days": (DAY_HEADS, _days(games)),
        "runs": (run_grid.HEADS, list(run_grid.run_rows(sorts))),
    }
    own = [of_record(record, plan) for record in records]
    gaps = behind_best(Case(one.setting, one.lineup, one.seed, float(sum(one.alive))) for one in own)
    rows["differences"] = _difference_rows(gaps)
    told = best_tables(gaps, BEHIND.format("Survivors", "line-up"), ("setting", "best", "line-up"), LUCK)
    return Made(table, figures, rows, run_grid.run_grids(sorts), told)


BEHIND = "{} less than that of the best {}, game by game"
LUCK = "Games of one setting and seed have the same luck."


DIFFERENCE_HEADS = ("setting", "best", "line_up", "behind", "low", "high", "distinct")


def _difference_rows(found: Sequence[Behind]) -> Rows:
    return DIFFERENCE_HEADS, [(*one[:3], *one.gap) for one in found]


CURVES = (
    ("bids", water_figures.bid, "dollars", "Bids", "Mean bid of those alive."),
    ("health", water_figures.health, "health points", "Health", "Health in the evening, 0 for the dead."),
    ("balances", water_figures.balance, "dollars", "Balances", "Money in the evening of those alive in the morning."),
)


def _drawn(who: str, at: int, found: dict[str, list[WaterGame]]) -> list[Drawn]:
    """The four figures of a line-up."""
    end = f"-{at + 1}" if at else ""
    boxes = water_figures.minimum_bid_figure(found)
    note = "Lowest bid that was served: boxes over games, their median by day, and the mean of these medians."
    drawn = [Drawn(f"minimum-bid{end}", "Minimum successful bid", note, boxes, who)]
    for name, value, label, heading, told in CURVES:
        figure = water_figures.curves_figure(found, value, label)
        ribbon = f"{told} Mean over games with its 95% interval; grey: RSR of those alive in the morning."
        drawn.append(Drawn(f"{name}{end}", heading, ribbon, figure, who))
    return drawn


DAY_HEADS = (
    *("players", "setting", "seed", "day", "supply", "resident"),
    *("bid", "purse", "served", "balance", "health", "no_water_days"),
)


def _days(games: Iterable[WaterGame]) -> list[Sequence[Any]]:
    """One row for every living resident and day."""
    rows: list[Sequence[Any]] = []
    for game in games:
        for day in game.days:
            for seat in (seat for seat, bid in enumerate(day.bids) if not math.isnan(bid)):
                place = day.winners.index(seat) + 1 if seat in day.winners else 0
                start = (game.lineup, game.setting, game.seed, day.day, day.supply, game.names[seat])
                state = (day.balances[seat], day.healths[seat], day.no_water_days[seat])
                rows.append((*start, day.bids[seat], day.purses[seat], place, *state))
    return rows


# K-level games


def _levels(plan: Plan | None, records: Sequence[Record], kept: Path, beside: Beside) -> Made:
    games, name = [level_game(record) for record in records], records[0].game
    kind = KINDS[name]
    figure = level_figures.deviation_figure(games, kind.off, kind.step)
    note = f"Distance of the tested player to {kind.off}, by {kind.step}: mean over matches with its 95% interval."
    drawn = Drawn("deviation", "Adaption", note, figure)
    first = kind.columns[0]
    gaps = behind_best(Case(g.opponent, g.tested, g.seed, g.measures[first.key]) for g in games)
    rows: dict[str, Rows] = {"matches": match_rows(name, games), "differences": _difference_rows(gaps)}
    title = BEHIND.format(capitalized(first.head), "player")
    told = best_tables(gaps, title, ("against", "best", "player"), "Games of one seed have the same luck.")
    return Made(level_table(name, games), [drawn], rows, differences=told)


MAKERS: dict[str, Callable[[Plan | None, Sequence[Record], Path, Beside], Made]] = {
    WATER: _water,
    **dict.fromkeys(KINDS, _levels),
}
"""What makes the tables and figures of an experiment, by the name of its game.

It is given the plan, the matches, the folder in which results are kept, and what stands beside them.
"""


# Files


def write_files(found: Results, folder: str | Path) -> list[Path]:
    """Writes tables as CSV and LaTeX, and figures as PDF, SVG and PNG; returns the files."""
    tables = Path(folder) / TABLES
    written = [to_csv(found.table, tables / "indicators.csv")]
    written += [write_csv(tables / f"{name}.csv", heads, rows) for name, (heads, rows) in found.made.rows.items()]
    texts = {"indicators": to_latex(found.table, found.game.replace("_", "-"))}
    if found.made.grids:
        texts["runs"] = run_grid.to_latex(found.made.grids)
    for name, text in texts.items():
        written.append(tables / f"{name}.tex")
        written[-1].write_text(text, encoding="utf-8")
    return written + write_figures({one.name: one.figure for one in found.made.figures}, Path(folder) / FIGURES)
