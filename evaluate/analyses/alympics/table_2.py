"""Table 2 of ALYMPICS: our numbers, from games and from other numbers of the table.

Rates, marks and RSR are redundant, which reveals misprints: the rates determine the units that the survivors of all
games need, each RSR those of one game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from statistics import fmean

from econzoo.envs.core import game as find_game
from econzoo.envs.games.water_allocation import RESIDENTS, scenarios
from econzoo.envs.games.water_allocation.indicators import rsr, rsr_end, rsr_start
from econzoo.envs.games.water_allocation.rules import Params
from econzoo.evaluate.analyses import OwnNumber, agrees
from econzoo.evaluate.analyses.alympics import estimates
from econzoo.evaluate.analyses.alympics.days import WATER
from econzoo.evaluate.analyses.alympics.water_games import PUBLISHED_LINEUP, SETTINGS, WaterGame
from econzoo.evaluate.analyses.alympics.water_table import TABLE_2
from econzoo.evaluate.stats import Interval, wilson

LIVED, DIED = "\u2713", "\u2717"
"""Marks of survival and death."""

NAMES = tuple(name for name, _, _ in RESIDENTS)

START, END = "RSR start", "RSR end"
"""Columns of the table; the others are those of the residents."""

MISREAD_NOTE = "The marks of {}, read from a scan, are inconsistent with the printed rates."

ALL_DEAD_NOTE = "A game has no survivors, so its RSR is undefined."

Group = tuple[bool, ...]
"""Whether each seat survives."""


def compute_numbers(games: Sequence[WaterGame]) -> list[OwnNumber]:
    """Compute the numbers of Table 2 by setting, and for published games by game.

    Numbers of all published games of a setting are exact; those of other games are estimates.
    """
    return [one for setting in SETTINGS for one in _setting_numbers(setting, games)]


def _setting_numbers(setting: str, games: Sequence[WaterGame]) -> Iterator[OwnNumber]:
    used = [game for game in games if game.setting == setting and game.names == NAMES]
    if not used:
        return
    count, ends = len(used), [rsr_end(game.params, game.days) for game in used]
    published = {game.seed for game in used if game.lineup == PUBLISHED_LINEUP}
    # With the paper's own games a number is recounted, without sampling error.
    is_whole = published >= {*range(1, TABLE_2.games + 1)}
    for seat, name in enumerate(NAMES):
        lived = [game.alive[seat] for game in used]
        rate = fmean(lived) if is_whole else estimates.rate(lived)
        yield OwnNumber(setting, name, rate, count, printed_interval=_printed_rate(setting, name))
    yield OwnNumber(setting, "survivors", fmean(sum(game.alive) for game in used), count)
    yield OwnNumber(setting, START, rsr_start(used[0].params), count)
    mean = fmean(ends) if is_whole or math.isnan(fmean(ends)) else estimates.mean(ends)
    printed = estimates.mean([float(cells[END]) for cells in _games_of(setting).values()])
    yield _rsr(setting, mean, count)._replace(printed_interval=printed)
    for game, end in zip(used, ends, strict=True):
        row = f"{setting} {game.seed}"
        if game.lineup == PUBLISHED_LINEUP and row in TABLE_2.cells:
            yield from (_mark(setting, row, name, game.alive[seat]) for seat, name in enumerate(NAMES))
            yield OwnNumber(row, START, rsr_start(game.params), 1)
            yield _rsr(row, end, 1)


def _rsr(row: str, value: float | Interval, games: int) -> OwnNumber:
    is_undefined = isinstance(value, float) and math.isnan(value)
    return OwnNumber(row, END, None, games, ALL_DEAD_NOTE) if is_undefined else OwnNumber(row, END, value, games)


def _printed_rate(setting: str, name: str) -> Interval:
    # The printed share, as the number of games that it stands for.
    return wilson(round(float(TABLE_2.cells[setting][name]) * TABLE_2.games), TABLE_2.games)


def _mark(setting: str, row: str, name: str, alive: bool, games: int = 1) -> OwnNumber:
    if name in misread_residents(setting):
        return OwnNumber(row, name, None, games, MISREAD_NOTE.format(setting))
    return OwnNumber(row, name, LIVED if alive else DIED, games)


def misread_residents(setting: str) -> tuple[str, ...]:
    """Return the residents whose marks, read from a scan, are inconsistent with the printed rate."""
    return tuple(name for name in NAMES if not agrees(TABLE_2.cells[setting][name], _share(setting, name)))


def _share(setting: str, name: str) -> float:
    return fmean(cells[name] == LIVED for cells in _games_of(setting).values())


def _games_of(setting: str) -> dict[str, dict[str, str]]:
    """The printed cells of the games of a setting, by row."""
    rows = (f"{setting} {number}" for number in range(1, TABLE_2.games + 1))
    return {row: dict(TABLE_2.cells[row]) for row in rows}


# From the table's other numbers


def derive_numbers() -> list[OwnNumber]:
    """Derive each number of Table 2 from its other numbers.

    A rate is the share of marks; a mark is what rates and RSR leave possible; RSR at the start follows from supply and
    requirements; RSR at the end is the nearest value of any survivors, or for a setting the mean over games, clipped to
    the bounds implied by the rates (`mean_rsr_bounds`).
    """
    return [one for setting in SETTINGS for one in _derive_setting_numbers(setting)]


def _derive_setting_numbers(setting: str) -> Iterator[OwnNumber]:
    params: Params = find_game(WATER).params(**scenarios.SETTINGS[setting])[1]
    games, means = _games_of(setting), TABLE_2.cells[setting]
    rates = [float(means[name]) for name in NAMES]
    for name in NAMES:
        if name in misread_residents(setting):
            yield OwnNumber(setting, name, None, reason=MISREAD_NOTE.format(setting))
        else:
            yield OwnNumber(setting, name, _share(setting, name))
    low, high = mean_rsr_bounds(params, rates)
    yield OwnNumber(setting, START, rsr_start(params))
    yield OwnNumber(setting, END, min(max(fmean(float(cells[END]) for cells in games.values()), low), high))
    groups = possible_groups(params, [cells[END] for cells in games.values()], rates)
    for (row, cells), possible in zip(games.items(), groups, strict=True):
        yield from _common_marks(setting, row, possible)
        yield OwnNumber(row, START, rsr_start(params))
        yield OwnNumber(row, END, _nearest_rsr(params, float(cells[END])))


def _common_marks(setting: str, row: str, groups: Iterable[Group]) -> Iterator[OwnNumber]:
    """The marks of a game that all possible groups share, and misread marks."""
    for seat, name in enumerate(NAMES):
        ends = {group[seat] for group in groups}
        if len(ends) == 1 or name in misread_residents(setting):
            yield _mark(setting, row, name, True in ends, 0)


def _nearest_rsr(params: Params, printed: float) -> float:
    """The RSR of any group of survivors that is nearest to a printed number."""
    ratios = [rsr(params, group) for group in _groups(len(params.requirement))]
    return min(ratios, key=lambda ratio: abs(ratio - printed))


def _groups(seats: int) -> list[Group]:
    """All non-empty groups of survivors."""
    return [group for group in product((False, True), repeat=seats) if any(group)]


def mean_rsr_bounds(params: Params, rates: Sequence[float]) -> tuple[float, float]:
    """Compute the bounds on the mean RSR at the end that survival rates imply.

    The RSR is convex in the survivors' requirement. So its mean is smallest if every game has the mean requirement
    (Jensen), and largest if deaths coincide: a resident survives wherever one with a lower rate does.

    Args:
        rates: Survival rate of each seat, 0 to 1.

    Returns:
        Lower and upper bound; the upper one is infinite if all may die in one game.
    """
    supply = (params.low + params.high) / 2
    if max(rates) < 1:
        return supply / _expected_need(params, rates), math.inf
    cuts = sorted({0.0, *rates})
    shares = [(high - low, [rate >= high for rate in rates]) for low, high in pairwise(cuts)]
    return supply / _expected_need(params, rates), sum(share * rsr(params, group) for share, group in shares)


def _expected_need(params: Params, rates: Sequence[float]) -> float:
    return sum(units * rate for units, rate in zip(params.requirement, rates, strict=True))


def possible_groups(params: Params, printed_rsr: Sequence[str], rates: Sequence[float]) -> list[set[Group]]:
    """Find the possible survivors of each game, given the RSR at the end of all games and the survival rates.

    Args:
        rates: Survival rate of each seat, 0 to 1.

    Returns:
        For each game, the groups that occur in some consistent assignment to all games; empty if there is none.
    """
    fitting = [[group for group in _groups(len(rates)) if agrees(text, rsr(params, group))] for text in printed_rsr]
    # Forwards: all counts of survivals, one per seat, that the first games may have. Backwards: the groups on a way to
    # the counts of the rates. Counts are few, assignments of groups to ten games are not.
    total = tuple([round(rate * len(printed_rsr)) for rate in rates])
    sums = [{(0,) * len(rates)}]
    for groups in fitting:
        sums.append({_add_group(lived, group) for lived in sums[-1] for group in groups})
    reachable, possible = {total} & sums[-1], list[set[Group]]()
    for groups, lived in zip(reversed(fitting), reversed(sums[:-1]), strict=True):
        pairs = [(one, group) for one in lived for group in groups if _add_group(one, group) in reachable]
        reachable = {one for one, _ in pairs}
        possible.append({group for _, group in pairs})
    return possible[::-1]


def _add_group(lived: tuple[int, ...], group: Group) -> tuple[int, ...]:
    return tuple([count + alive for count, alive in zip(lived, group, strict=True)])
