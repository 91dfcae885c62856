"""A game of the Water Allocation Challenge as a table of days, such as people's games in ALYMPICS (Figure 10).

A CSV file with the columns `COLUMNS` and one row per day and resident: balance (with salary) and health in the morning,
bid, and consecutive days without water in the evening (0: served). The rows of the morning after the last day have no
supply, bid or salary. Empty cells were not recorded: those of dead residents, whose health on the morning after their
death is 0 or less. Residents have the needs and salaries of the paper, in its order. The file name ends in the range of
the supply and a number: ``people_10_20_1.csv``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from econzoo.envs.core import read_csv_rows, reason
from econzoo.envs.core.contract import short_repr
from econzoo.envs.games.water_allocation import RESIDENTS
from econzoo.evaluate.formats.alympics.published import Answer, Day, PublishedGame, supply_range
from econzoo.evaluate.formats.alympics.texts import BidQuestion, DayResult, Rules, Status
from econzoo.evaluate.run import NotImportableError

COLUMNS = ("day", "supply", "resident", "balance", "health", "bid", "no_water_days")

DAYS, START_HEALTH, MAX_HEALTH = 20, 8, 10
"""Values of the paper's games."""


class Line(NamedTuple):
    """A resident on a day; NaN: not recorded.

    Attributes:
        supply: Units of water.
        balance: Balance in the morning, in dollars.
        bid: Bid in dollars.
        no_water_days: Consecutive days without water in the evening; 0: served.
    """

    supply: float = math.nan
    balance: float = math.nan
    health: float = math.nan
    bid: float = math.nan
    no_water_days: float = math.nan


Lines = Mapping[int, Mapping[str, Line]]
"""Lines by day and resident."""


def read_day_table(path: Path) -> PublishedGame:
    try:
        (_, heads), *rows = [*read_csv_rows(path)] or [(1, [])]
    except (OSError, ValueError) as error:
        raise NotImportableError("file", f"cannot be read: {reason(error)}") from None
    if tuple(heads) != COLUMNS:
        raise NotImportableError("file", f"invalid columns {', '.join(heads)}: expected {', '.join(COLUMNS)}")
    lines: dict[int, dict[str, Line]] = {}
    for at, row in rows:
        if len(row) != len(COLUMNS):
            raise NotImportableError("file", f"line {at} has {len(row)} cells: expected {len(COLUMNS)}")
        cells = dict(zip(COLUMNS, (cell.strip() for cell in row), strict=True))
        who, day = cells.pop("resident"), _number(at, "day", cells.pop("day"))
        line = Line(**{name: _number(at, name, cell) for name, cell in cells.items()})
        # `setdefault` returns the line before, if the resident has one on that day already.
        if not who or not day.is_integer() or lines.setdefault(int(day), {}).setdefault(who, line) is not line:
            raise NotImportableError("file", f"line {at}: missing, non-integer or duplicate resident and day")
    return game_of_table(path.stem, lines, supply_range(path.stem))


def _number(line: int, name: str, cell: str) -> float:
    try:
        value = float(cell or "nan")
    except ValueError:
        # Rejected below, like an infinite number in the file.
        value = math.inf
    if math.isinf(value) or (name == "day" and math.isnan(value)):
        raise NotImportableError("file", f"line {line}: invalid {name}={short_repr(cell)}: expected a number")
    return value


def game_of_table(name: str, lines: Lines, supply: tuple[int, int]) -> PublishedGame:
    """Convert a table to a game.

    Args:
        supply: Minimum and maximum units per day.
    """
    names = tuple(lines.get(1, {}))
    if len(names) != len(RESIDENTS):
        raise NotImportableError("incomplete", f"{len(names)} residents on day 1: expected {len(RESIDENTS)}")
    last = lines[max(lines)].values()
    if sorted(lines) != list(range(1, len(lines) + 1)) or any(not math.isnan(line.bid) for line in last):
        expected = "expected all days from day 1 and the morning after the last, without bids"
        raise NotImportableError("incomplete", f"invalid days {', '.join(map(str, sorted(lines)))}: {expected}")
    residents = tuple((one, units, salary) for one, (_, units, salary) in zip(names, RESIDENTS, strict=True))
    rules = Rules(residents, supply, DAYS, START_HEALTH, MAX_HEALTH, False)
    salaries = {one: salary for one, _, salary in residents}
    days = tuple(_day(day, lines, salaries) for day in range(1, len(lines)))
    nothing = ("",) * len(names)
    return PublishedGame(name, rules, supply, nothing, nothing, days)


def _day(day: int, lines: Lines, salaries: Mapping[str, float]) -> Day:
    today = {who: line for who, line in lines[day].items() if not math.isnan(line.bid)}
    if not today or set(today) - set(salaries):
        raise NotImportableError("incomplete", f"day {day} has bids of {', '.join(today) or 'nobody'}")
    missing = [
        f"{name} of {who}"
        for who, line in today.items()
        for name, value in zip(Line._fields, line, strict=True)
        if math.isnan(value)
    ]
    tomorrow = {who: lines[day + 1].get(who, Line()) for who in today}
    missing += [f"health of {who} on the next" for who, line in tomorrow.items() if math.isnan(line.health)]
    if missing:
        raise NotImportableError("incomplete", f"day {day}: missing {missing[0]}: expected a number")
    supply = int(next(iter(today.values())).supply)
    yesterday = lines.get(day - 1, {})
    answers = {
        who: Answer(BidQuestion(day, supply, who, _morning(line, yesterday.get(who))), "", "")
        for who, line in today.items()
    }
    ends = {who: _evening(today[who], tomorrow[who], salaries[who]) for who in today}
    return Day(
        DayResult(day, supply, {who: line.bid for who, line in today.items()}, _served_residents(today), ends), answers
    )


def _morning(line: Line, yesterday: Line | None) -> Status:
    dry = 0.0 if yesterday is None else yesterday.no_water_days
    return Status(line.balance, int(line.health), int(dry) + 1)


def _evening(line: Line, next_: Line, salary: float) -> Status:
    """Status in the evening, from that of the next morning; only residents who bid again were paid."""
    paid = 0.0 if math.isnan(next_.bid) else salary
    return Status(next_.balance - paid, int(next_.health), int(line.no_water_days) + 1)


def _served_residents(today: Mapping[str, Line]) -> tuple[str, ...]:
    """Served residents by descending bid; ties in order of residents, hence of lower need."""
    served: Sequence[str] = [who for who, line in today.items() if line.no_water_days == 0]
    return tuple(sorted(served, key=lambda who: -today[who].bid))


def group_lines(rows: Iterable[tuple[int, str, Line]]) -> Lines:
    """Group lines by day and resident."""
    found: dict[int, dict[str, Line]] = {}
    for day, who, line in rows:
        found.setdefault(day, {})[who] = line
    return found
