"""Table 2 of ALYMPICS: our numbers of it, from games, and from its own other numbers.

Rates, marks and RSR say the same thing three times, so that a slip in one of them shows: the rates give the units that
the survivors of all games need, each RSR those of one game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from statistics import fmean

from econzoo.envs.core.registry import game as find_game
from econzoo.envs.games.water_allocation import RESIDENTS
from econzoo.envs.games.water_allocation.indicators import rsr, rsr_end, rsr_start
from econzoo.envs.games.water_allocation.rules import Params
from econzoo.envs.games.water_allocation.scenarios import MARKETS
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, SETTINGS, WaterGame
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2
from econzoo.evaluate.analyses.paper_numbers import OwnNumber, agrees

LIVED, DIED = "\u2713", "\u2717"
"""How the end of a resident is shown."""

NAMES = tuple(name for name, _, _ in RESIDENTS)

START, END = "RSR start", "RSR end"
"""Columns of the table; the others are those of the residents."""

MISREAD_NOTE = "As read from a scan, these marks of {} add up to other rates than those that are printed."

ALL_DEAD_NOTE = "In a game nobody lived to the end, so that its RSR is not defined."

Group = tuple[bool, ...]
"""Who lives, one a seat."""


def compute_numbers(games: Sequence[WaterGame]) -> list[OwnNumber]:
    """Our numbers of the settings of Table 2, and of published games those of each game.

    Args:
        games: Of one line-up; those in other settings than the paper's count for nothing.
    """
    return [one for setting in SETTINGS for one in _setting_numbers(setting, games)]


def _setting_numbers(setting: str, games: Sequence[WaterGame]) -> Iterator[OwnNumber]:
    used = [game for game in games if game.setting == setting and game.names == NAMES]
    if not used:
        return
    count, ends = len(used), [rsr_end(game.params, game.days) for game in used]
    for seat, name in enumerate(NAMES):
        yield OwnNumber(setting, name, fmean(game.alive[seat] for game in used), count)
    yield OwnNumber(setting, "survivors", fmean(sum(game.alive) for game in used), count)
    yield OwnNumber(setting, START, rsr_start(used[0].params), count)
    yield _rsr(setting, fmean(ends), count)
    for game, end in zip(used, ends, strict=True):
        row = f"{setting} {game.seed}"
        if game.lineup == PUBLISHED_LINEUP and row in TABLE_2.cells:
            yield from (_mark(setting, row, name, game.alive[seat]) for seat, name in enumerate(NAMES))
            yield OwnNumber(row, START, rsr_start(game.params), 1)
            yield _rsr(row, end, 1)


def _rsr(row: str, value: float, games: int) -> OwnNumber:
    return OwnNumber(row, END, None, games, ALL_DEAD_NOTE) if math.isnan(value) else OwnNumber(row, END, value, games)


def _mark(setting: str, row: str, name: str, alive: bool, games: int = 1) -> OwnNumber:
    if name in misread_residents(setting):
        return OwnNumber(row, name, None, games, MISREAD_NOTE.format(setting))
    return OwnNumber(row, name, LIVED if alive else DIED, games)


def misread_residents(setting: str) -> tuple[str, ...]:
    """The residents whose marks, as they were read from a scan, add up to another rate than is printed."""
    return tuple(name for name in NAMES if not agrees(TABLE_2.cells[setting][name], _share(setting, name)))


def _share(setting: str, name: str) -> float:
    return fmean(cells[name] == LIVED for cells in _games_of(setting).values())


def _games_of(setting: str) -> dict[str, dict[str, str]]:
    """What is printed of the games of a setting, by row."""
    rows = (f"{setting} {number}" for number in range(1, TABLE_2.games + 1))
    return {row: dict(TABLE_2.cells[row]) for row in rows}


# From the table's other numbers


def derive_numbers() -> list[OwnNumber]:
    """Each number of Table 2 from others of it.

    A rate is the share of marks; a mark what rates and RSR leave open; an RSR at the start follows from supply and
    needs; one at the end is that of the survivors who come nearest, or of all games their mean, as far as the rates
    allow it (`mean_rsr_bounds`).
    """
    return [one for setting in SETTINGS for one in _derive_setting_numbers(setting)]


def _derive_setting_numbers(setting: str) -> Iterator[OwnNumber]:
    params: Params = find_game(WATER).params(**MARKETS[setting])[1]
    games, means = _games_of(setting), TABLE_2.cells[setting]
    rates = [float(means[name]) for name in NAMES]
    for name in NAMES:
        odd = name in misread_residents(setting)
        yield OwnNumber(
            setting, name, None if odd else _share(setting, name), reason=MISREAD_NOTE.format(setting) if odd else ""
        )
    low, high = mean_rsr_bounds(params, rates)
    yield OwnNumber(setting, START, rsr_start(params))
    yield OwnNumber(setting, END, min(max(fmean(float(cells[END]) for cells in games.values()), low), high))
    groups = possible_groups(params, [cells[END] for cells in games.values()], rates)
    for (row, cells), left in zip(games.items(), groups, strict=True):
        yield from _common_marks(setting, row, left)
        yield OwnNumber(row, START, rsr_start(params))
        yield OwnNumber(row, END, _nearest_rsr(params, float(cells[END])))


def _common_marks(setting: str, row: str, groups: Iterable[Group]) -> Iterator[OwnNumber]:
    """The marks of a game that all groups which are left have in common, and those that were misread."""
    for seat, name in enumerate(NAMES):
        ends = {group[seat] for group in groups}
        if len(ends) == 1 or name in misread_residents(setting):
            yield _mark(setting, row, name, True in ends, 0)


def _nearest_rsr(params: Params, told: float) -> float:
    """The RSR nearest to a number that any survivors have."""
    ratios = [rsr(params, group) for group in _groups(len(params.requirement))]
    return min(ratios, key=lambda ratio: abs(ratio - told))


def _groups(seats: int) -> list[Group]:
    """All who may live, nobody aside."""
    return [group for group in product((False, True), repeat=seats) if any(group)]


def mean_rsr_bounds(params: Params, rates: Sequence[float]) -> tuple[float, float]:
    """Least and greatest mean RSR at the end that survival rates allow.

    The RSR is convex in what the living need. So its mean is least where each game has the mean need (Jensen), and
    greatest where deaths fall together: who has the higher rate lives wherever one with a lower rate does.

    Args:
        params: The town.
        rates: Of each seat, 0 to 1.

    Returns:
        The greatest is infinity where all may die in one game.
    """
    supply = (params.low + params.high) / 2
    if max(rates) < 1:
        return supply / _expected_need(params, rates), math.inf
    cuts = sorted({0.0, *rates})
    shares = [(after - before, [rate >= after for rate in rates]) for before, after in pairwise(cuts)]
    return supply / _expected_need(params, rates), sum(share * rsr(params, group) for share, group in shares)


def _expected_need(params: Params, rates: Sequence[float]) -> float:
    return sum(units * rate for units, rate in zip(params.requirement, rates, strict=True))


def possible_groups(params: Params, printed_rsr: Sequence[str], rates: Sequence[float]) -> list[set[Group]]:
    """Who may have lived in each game, by the RSR at the end of all games and the survival rates.

    Args:
        params: The town.
        printed_rsr: RSR at the end of each game.
        rates: Of each seat, 0 to 1.

    Returns:
        Groups for each game that are part of a whole set of games with these numbers; none if there is no such set.
    """
    fitting = [[group for group in _groups(len(rates)) if agrees(text, rsr(params, group))] for text in printed_rsr]
    total = tuple([round(rate * len(printed_rsr)) for rate in rates])
    before = [{(0,) * len(rates)}]
    for groups in fitting:
        before.append({_add_group(lived, group) for lived in before[-1] for group in groups})
    wanted, found = {total} & before[-1], list[set[Group]]()
    for groups, lived in zip(reversed(fitting), reversed(before[:-1]), strict=True):
        pairs = [(one, group) for one in lived for group in groups if _add_group(one, group) in wanted]
        wanted = {one for one, _ in pairs}
        found.append({group for _, group in pairs})
    return found[::-1]


def _add_group(lived: tuple[int, ...], group: Group) -> tuple[int, ...]:
    return tuple([count + alive for count, alive in zip(lived, group, strict=True)])
