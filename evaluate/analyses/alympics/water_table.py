"""Tables of the Water Allocation Challenge: survival as in ALYMPICS' Table 2, and indicators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from econzoo.envs.games.water_allocation import RESIDENTS
from econzoo.envs.games.water_allocation.indicators import minimum_successful_bid, rsr_end, rsr_start
from econzoo.evaluate.analyses import read_paper
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.indicators import Row, indicator_tables
from econzoo.evaluate.analyses.alympics.survival_bounds import SurvivalSearch
from econzoo.evaluate.analyses.alympics.water_games import SETTINGS, WaterGame, game_from_published, group_by_lineup
from econzoo.evaluate.formats.alympics import PublishedGame
from econzoo.evaluate.show import SHARE, TEXT, Column, Table
from econzoo.evaluate.stats import Interval, mean_of_daily_medians

RATE_NOTE = "Percentages: share of games that a resident survived"
POSSIBLE_NOTE = (
    "Possible: most survivors of any allocation of the supplies of the full game; ratio: possible over actual survivors"
)
PROVEN_NOTE = "Proven: share of games in which this maximum is exact; in the others the search was not completed"
RSR_NOTE = "RSR: expected supply over the requirement of those alive, at the start and at the end"
BID_NOTE = "Min. bid: lowest served bid; mean over days of its median over games"

INDICATORS = (
    Column("survivors", digits=1, show_interval=True),
    Column("most_survivors", "possible", digits=1, meaning=POSSIBLE_NOTE),
    Column("possible_over_survivors", "ratio", digits=2, meaning=POSSIBLE_NOTE),
    Column("possible_proven", "proven", SHARE, meaning=PROVEN_NOTE),
    Column("rsr_start", "RSR start", digits=2, meaning=RSR_NOTE),
    Column("rsr_end", "RSR end", digits=2, meaning=RSR_NOTE),
    Column("minimum_bid", "min. bid $", digits=1, meaning=BID_NOTE),
)

TABLE_2 = read_paper("alympics").places["table-2"]
"""The paper's table; its columns have the same headings as ours."""

KEY_COLUMNS = Column("setting", kind=TEXT), Column("lineup", "players", TEXT)


def rate_key(name: str) -> str:
    return f"survival_{name}"


def water_rows(games: Iterable[WaterGame], published: bool = True, search: SurvivalSearch | None = None) -> list[Row]:
    """Build one row per line-up and setting.

    Args:
        search: Search for the most possible survivors; None: left out.
    """
    by_row = sort_by_setting(group_by_lineup(games))
    rows = [_row(lineup, setting, own, search) for (lineup, setting), own in by_row.items()]
    return add_published_rows(rows, by_row) if published else rows


def water_tables(
    games: Sequence[WaterGame], title: str, published: bool = True, search: SurvivalSearch | None = None
) -> list[Table]:
    names = dict.fromkeys(name for game in games for name in game.names)
    rates = [Column(rate_key(name), name, SHARE, meaning=RATE_NOTE) for name in names]
    columns = {title: rates, "Survivors, supply and bids": INDICATORS}
    return indicator_tables("indicators", KEY_COLUMNS, water_rows(games, published, search), columns)


def published_tables(games: Sequence[PublishedGame]) -> list[Table]:
    """Tabulate survival, RSR and minimum successful bids of published games, as printed."""
    converted = [game_from_published(game, number) for number, game in enumerate(games, start=1)]
    return water_tables(sorted(converted, key=paper_order), "Published games, as printed")


def paper_order(game: WaterGame) -> tuple[int, str]:
    """Sort key: the paper's settings first, in its order."""
    at = SETTINGS.index(game.setting) if game.setting in SETTINGS else len(SETTINGS)
    return at, game.setting


def sort_by_setting(games: dict[tuple[str, str], list[WaterGame]]) -> dict[tuple[str, str], list[WaterGame]]:
    """Sort groups so that all line-ups of a setting are adjacent."""
    settings = list(dict.fromkeys(setting for _, setting in games))
    return dict(sorted(games.items(), key=lambda item: settings.index(item[0][1])))


def _row(lineup: str, setting: str, games: Sequence[WaterGame], search: SurvivalSearch | None) -> Row:
    alive = [game.alive for game in games]
    params = games[0].params
    rates = {rate_key(name): estimates.rate([one[seat] for one in alive]) for seat, name in enumerate(games[0].names)}
    cells = {
        **rates,
        "survivors": estimates.mean([sum(one) for one in alive]),
        **(_possible_cells(games, search) if search else {}),
        "rsr_start": estimates.exact_interval(rsr_start(params), len(games)),
        "rsr_end": estimates.mean([rsr_end(params, game.days) for game in games]),
        "minimum_bid": mean_of_daily_medians(minimum_bids(games)),
    }
    return Row((setting, lineup), len(games), cells)


def _possible_cells(games: Sequence[WaterGame], search: SurvivalSearch) -> dict[str, Interval]:
    """Cells of games with known supplies; actual survivors bound the maximum from below if the search is incomplete."""
    found = [(game, search(game.params, game.supplies)) for game in games if game.supplies is not None]
    if not found:
        return {}
    alive = [float(sum(game.alive)) for game, _ in found]
    most = [max(float(one.survivors), lived) for (_, one), lived in zip(found, alive, strict=True)]
    return {
        "most_survivors": estimates.mean(most),
        "possible_over_survivors": estimates.ratio(most, alive),
        "possible_proven": estimates.rate([one.proven for _, one in found]),
    }


def minimum_bids(games: Sequence[WaterGame]) -> np.ndarray:
    """Return the minimum successful bid, shape (games, days); NaN on unplayed days and days without winners."""
    bids = np.full((len(games), games[0].params.days), math.nan)
    for at, game in enumerate(games):
        for day in game.days:
            bids[at, day.day - 1] = minimum_successful_bid(day)
    return bids


def add_published_rows(rows: Sequence[Row], games: dict[tuple[str, str], list[WaterGame]]) -> list[Row]:
    """Insert each setting's row of the paper below the last of that setting's rows.

    Only the paper's settings have one: equal residents, supplies and 20 days.
    """
    out, last = [], {row.names[0]: at for at, row in enumerate(rows)}
    for at, row in enumerate(rows):
        out.append(row)
        setting, lineup = row.names
        # A setting of the paper's name may have other residents or days, which the paper's row would not compare with.
        if setting in TABLE_2.cells and last[setting] == at and _is_paper_setting(games[lineup, setting][0]):
            out.append(_published_row(setting))
    return out


def _is_paper_setting(game: WaterGame) -> bool:
    names, units, salaries = zip(*RESIDENTS, strict=True)
    params = game.params
    return (game.names, params.requirement, params.salary, params.days) == (names, units, salaries, 20)


def _published_row(setting: str) -> Row:
    columns = [*(Column(rate_key(name), name) for name, _, _ in RESIDENTS), *INDICATORS]
    recounted = TABLE_2.recounted[setting]
    printed = {**TABLE_2.cells[setting], **recounted}
    cells = {
        one.key: estimates.exact_interval(float(printed[one.title]), TABLE_2.games)
        for one in columns
        if one.title in printed
    }
    marked = frozenset(one.key for one in columns if one.title in recounted)
    return Row((setting, TABLE_2.player), TABLE_2.games, cells, is_published=True, recounted_keys=marked)
