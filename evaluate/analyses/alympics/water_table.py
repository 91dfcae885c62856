"""The table of the Water Allocation Challenge: survival by resident and setting, as Table 2 of ALYMPICS, and more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from econzoo.envs.games.water_allocation import RESIDENTS
from econzoo.envs.games.water_allocation.indicators import minimum_successful_bid, rsr_end, rsr_start
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.indicators import Row, indicator_tables
from econzoo.evaluate.analyses.alympics.survival_bounds import SurvivalSearch
from econzoo.evaluate.analyses.alympics.water_games import SETTINGS, WaterGame, game_from_published, group_by_lineup
from econzoo.evaluate.analyses.paper_numbers import read_paper
from econzoo.evaluate.formats.alympics.published import PublishedGame
from econzoo.evaluate.show.parts import SHARE, TEXT, Column, Table
from econzoo.evaluate.stats.daily_medians import mean_of_daily_medians
from econzoo.evaluate.stats.intervals import Interval

RATE_NOTE = "Percentages: games that a resident survived"
POSSIBLE_NOTE = (
    "Possible: how many could have lived with the supplies of the whole game; ratio: how many times as many that is"
)
PROVEN_NOTE = "Proven: share of games in which no more can have lived; in the others the search was not completed"
RSR_NOTE = "RSR: expected supply over what the living need, at the start and at the end"
BID_NOTE = "Min. bid: lowest bid that was served, its median over games on each day, and the mean of these medians"

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
"""Its columns have the headings of ours."""

KEY_COLUMNS = Column("setting", kind=TEXT), Column("players", kind=TEXT)


def rate_key(name: str) -> str:
    """The key of a resident's survival rate."""
    return f"survival_{name}"


def water_rows(games: Iterable[WaterGame], published: bool = True, search: SurvivalSearch | None = None) -> list[Row]:
    """The rows of some games, one for each line-up in each setting.

    Args:
        games: Any.
        published: Whether to show the paper's numbers below those of a setting.
        search: Finds how many could have lived; None: that is not asked.
    """
    by_row = sort_by_setting(group_by_lineup(games))
    rows = [_row(lineup, setting, found, search) for (lineup, setting), found in by_row.items()]
    return add_published_rows(rows, by_row) if published else rows


def water_tables(
    games: Sequence[WaterGame], title: str, published: bool = True, search: SurvivalSearch | None = None
) -> list[Table]:
    """The tables of some games.

    Args:
        games: Any; those that have other residents share no columns of survival.
        title: Heading of that of survival.
        published: See `water_rows`.
        search: See `water_rows`.
    """
    names = dict.fromkeys(name for game in games for name in game.names)
    rates = [Column(rate_key(name), name, SHARE, meaning=RATE_NOTE) for name in names]
    shown = {title: rates, "Survivors, supply and bids": INDICATORS}
    return indicator_tables("indicators", KEY_COLUMNS, water_rows(games, published, search), shown)


def published_tables(games: Sequence[PublishedGame]) -> list[Table]:
    """Survival, RSR and minimum successful bids of published games, as printed in the files.

    Args:
        games: At least one.
    """
    made = [game_from_published(game, number) for number, game in enumerate(games, start=1)]
    return water_tables(sorted(made, key=paper_order), "Published games, as printed")


def paper_order(game: WaterGame) -> tuple[int, str]:
    """The paper's settings first, in its order."""
    at = SETTINGS.index(game.setting) if game.setting in SETTINGS else len(SETTINGS)
    return at, game.setting


def sort_by_setting(games: dict[tuple[str, str], list[WaterGame]]) -> dict[tuple[str, str], list[WaterGame]]:
    """The same with all line-ups of a setting one after the other."""
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
    """Of the games whose supplies are known; who has lived could, also where the search was stopped before it knew."""
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
    """The minimum successful bid, shape (games, days); NaN on days without winners, and on those not played."""
    found = np.full((len(games), games[0].params.days), math.nan)
    for at, game in enumerate(games):
        for day in game.days:
            found[at, day.day - 1] = minimum_successful_bid(day)
    return found


def add_published_rows(rows: Sequence[Row], games: dict[tuple[str, str], list[WaterGame]]) -> list[Row]:
    """The rows, each setting's paper row below the last of that setting's rows.

    Only settings that are the paper's have one: its residents, its supplies, its 20 days.
    """
    out, last = [], {row.names[0]: at for at, row in enumerate(rows)}
    for at, row in enumerate(rows):
        out.append(row)
        setting, lineup = row.names
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
    told = {**TABLE_2.cells[setting], **recounted}
    cells = {
        one.key: estimates.exact_interval(float(told[one.title]), TABLE_2.games) for one in columns if one.title in told
    }
    marked = frozenset(one.key for one in columns if one.title in recounted)
    return Row((setting, TABLE_2.player), TABLE_2.games, cells, is_published=True, recounted_keys=marked)
