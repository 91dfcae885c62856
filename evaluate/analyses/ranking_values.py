"""Values by which players are ordered: defaults count as the least value of the setting, missing matches as both ends.

A forfeit, or a default action in place of an answer, may pay more than playing on. Where players are ordered, such a
match counts for the defaulting player as the least value of the objective in its setting (`COUNTED`); other players and
all recorded values stay as they are. A match that failed, was truncated or does not replay has no value: it counts as
the least and as the greatest one (`econzoo.evaluate.stats.bounds`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import UNIT, Objective
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses.seat_columns import places
from econzoo.evaluate.analyses.solutions import params_of, public_text
from econzoo.evaluate.run import lost_matches
from econzoo.evaluate.show import WARNING, Text, format_percent
from econzoo.evaluate.stats import BEST, MAX_MISSING, MISSING, WEIGHT, WORST, Columns, Tabular, pairing, values_of

if TYPE_CHECKING:
    import pandas as pd

    from econzoo.evaluate.run import Design, Records

COUNTED = "counted"
"""Column of the values that order players, if any seat defaulted."""

COUNTED_MEANING = (
    "Counted, by which players are ordered: as {}, but a match that the player forfeited or left, or in which a "
    "default action replaced its answer, counts as the least value of the setting"
)

CASES_MEANING = (
    "Worst case, best case: the mean by which players are ordered, over all opponents, with every missing match "
    "(failed, truncated, or not replayable) at the least, and at the greatest value of its setting"
)

PLACE_NAMES = ("match", "setting", "cluster", "seat", "role", "player", "spec", "opponent", "mixed")

NO_CASES = Columns({name: np.array([], object) for name in (*PLACE_NAMES, WORST, BEST, MISSING, WEIGHT)})
"""Rows of `case_rows` where no match is missing."""

SeatValues = dict[tuple[str, int], float]
"""(match, seat) to a value."""


@cache
def _range(game: str, public: str, definition: str, objective: str, seat: int, clipped: bool) -> tuple[float, float]:
    known, goal = find_game(game), Objective(objective)
    ranges = known.ranges(params_of(game, public), definition)
    exact = goal.range(ranges, seat)
    if not clipped and all(map(math.isfinite, exact)):
        return exact
    return goal.range(ranges.clip(known.facts.gain_range, UNIT), seat)


def value_range(record: Record, objective: str, seat: int, clipped: bool = True) -> tuple[float, float]:
    """Return the least and greatest value of an objective for a seat in the setting of a match.

    Args:
        clipped: Whether values are clipped as in tables; if not, only ranges without a bound are.
    """
    definition = record.options.get("metrics", "paper")
    return _range(record.game, public_text(record.params), definition, objective, seat, clipped)


def least_values(records: Iterable[Record], objective: str, clipped: bool = True) -> SeatValues:
    """Return the least possible value of all seats of players that forfeited or of which an answer was replaced."""
    least: SeatValues = {}
    for record in records:
        defaulting = {record.players[seat] for seat in record.defaulting_seats}
        for seat, spec in enumerate(record.players if defaulting else ()):
            if spec in defaulting:
                least[record.id, seat] = value_range(record, objective, seat, clipped)[0]
    return least


def add_counted(table: Columns | pd.DataFrame, objective: str, least: SeatValues) -> str:
    """Add the column `COUNTED`, if any seat defaulted; return the column by whose mean players are ordered.

    A counted value is never above the lowest one that was observed in the setting, nor infinite.
    """
    if not least:
        return objective
    values, observed = np.array(table[objective], float), _lowest_by_setting(table, objective)
    keys = zip(values_of(table["match"]), values_of(table["seat"]), values_of(table["setting"]), strict=True)
    for at, (match, seat, setting) in enumerate(keys):
        if (match, seat) in least:
            low = least[match, seat]
            values[at] = min(low if math.isfinite(low) else math.inf, observed.get(setting, math.inf))
    values[np.isinf(values)] = math.nan
    table[COUNTED] = values
    return COUNTED


def _lowest_by_setting(table: Tabular, objective: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for setting, value in zip(values_of(table["setting"]), values_of(table[objective]), strict=True):
        if math.isfinite(value):
            found[setting] = min(value, found.get(setting, math.inf))
    return found


def case_rows(
    table: Tabular,
    column: str,
    objective: str,
    missing: Sequence[Record],
    design: Design | None = None,
    repeated: Sequence[Record] = (),
    clipped: bool = True,
    names: Sequence[str] = PLACE_NAMES,
) -> Columns:
    """Return the rows of `econzoo.evaluate.stats.bounds.cases_of`: seats with a value, then those of missing matches.

    Args:
        table: Table of the matches with a result, including repeats.
        column: Column by whose mean players are ordered.
        missing: Matches without a result; none: no rows.
        design: Design with the settings' names; None: named by their parameters.
        repeated: The matches of the table, if only the seeds of some differ: each pairing then weighs as one match.
        clipped: See `value_range`.
    """
    if not missing:
        return NO_CASES
    pairings = {record.id: pairing(record) for record in (*repeated, *missing)} if repeated else {}
    counts = Counter(pairings.values())

    def rows() -> Iterator[dict[str, Any]]:
        for *cells, value in zip(*(values_of(table[name]) for name in (*names, column)), strict=True):
            yield {**dict(zip(names, cells, strict=True)), WORST: value, BEST: value, MISSING: 0.0}
        for record in missing:
            setting = (design.setting_name(record.params) or "") if design else ""
            for seat, place in enumerate(places(record, setting)):
                low, high = value_range(record, objective, seat, clipped)
                yield {**{name: place[name] for name in names}, WORST: low, BEST: high, MISSING: 1.0}

    return Columns.of_rows({**row, WEIGHT: 1 / counts[pairings[row["match"]]] if pairings else 1.0} for row in rows())


def order_warning(
    records: Records, games: Collection[str], is_counted: Callable[[Record], bool] = lambda record: record.has_result
) -> list[Text]:
    """Return a warning that an analysis without bounds orders nobody, if too many matches of a player are missing."""
    lost = lost_matches(records, records.unreadable)
    played, missing = Counter[str](), Counter[str]()
    for record in (one for one in (*records, *lost) if one.game in games):
        played.update(set(record.labels))
        missing.update(() if is_counted(record) else set(record.labels))
    shares = {player: count / played[player] for player, count in missing.items()}
    found = [f"{player} {format_percent(share)}" for player, share in shares.items() if share > MAX_MISSING]
    text = (
        f"Missing matches: {', '.join(found)}. The tables are of the others and order no players; the analysis summary "
        "has worst and best cases."
    )
    return [Text(text, WARNING)] if found else []
