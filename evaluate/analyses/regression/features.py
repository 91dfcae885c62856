"""Features of the regression: parameters, merged parameters and players, with levels and baselines."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle

import pandas as pd

from econzoo.evaluate.analyses.regression.families import Family, family
from econzoo.evaluate.analyses.regression.observations import ABSENT, Observations

MODES: tuple[str, ...] = ("setting", "plain", "all")
"""Parameter features: merged as in GLEE, one per parameter, or all merged into one."""

SETTING_FEATURE, CONFIGURATION, PAIR = "setting", "configuration", "pair"
MAX_LEVELS = 24
"""Maximum levels of a numeric parameter that is not cut into quartiles."""

Baseline = str | Sequence[str] | None
"""Baseline player: one for all seats, one per seat, or the default."""


@dataclass(frozen=True)
class Feature:
    """One feature.

    Attributes:
        name: A parameter, ``setting``, ``configuration``, ``ROLE_player`` or ``pair``.
        values: Level of every row.
        baseline: Baseline level, if it is in the data; None: the most frequent one.
    """

    name: str
    values: pd.Series[str]
    baseline: str | None = None
    is_player: bool = False


@dataclass
class Features:
    """All features of a family, with notes for readers."""

    items: list[Feature] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def features(
    observations: Observations, mode: str = "setting", pairs: bool = False, baseline_player: Baseline = None
) -> Features:
    """Build the features of a family.

    Args:
        baseline_player: One for all seats, or one per seat; None: see `first_players`.
    """
    result = Features()
    result.items += _parameters(observations, mode, result.notes)
    result.items += players(observations, pairs, baseline_player)
    return result


def _parameters(observations: Observations, mode: str, notes: list[str]) -> list[Feature]:
    known, table = family(observations.family), observations.table
    if mode == "all":
        return [_configuration_feature(observations, known)]
    merged = [name for name in known.merged_parameters if name in observations.parameters] if mode == "setting" else []
    alone = [name for name in observations.parameters if name not in merged]
    found = [Feature(name, _group_levels(name, table[name], notes), known.baseline.get(name)) for name in alone]
    return ([_setting_feature(table, known, merged)] if merged else []) + found


def _setting_feature(table: pd.DataFrame, known: Family, merged: Sequence[str]) -> Feature:
    """The merged feature, with levels such as ``CI=true, MA=false, T=inf``."""
    baseline = {**known.baseline, **known.merged_baseline}
    names = {name: known.merged_parameters[name] for name in merged}
    return Feature(SETTING_FEATURE, join_columns(table, names), _text(names, baseline))


def _configuration_feature(observations: Observations, known: Family) -> Feature:
    """The merged feature of all varying parameters."""
    table = observations.table
    varying = {name: name for name in observations.parameters if table[name].nunique() > 1}
    return Feature(
        CONFIGURATION, join_columns(table, varying), _text(varying, {**known.baseline, **known.merged_baseline})
    )


def join_columns(table: pd.DataFrame, names: dict[str, str]) -> pd.Series[str]:
    """Join several columns into one text per row."""
    parts = [[_format_level(short, value) for value in table[name]] for name, short in names.items()]
    # Without columns `zip` yields no rows: every row then has the same, empty level.
    return pd.Series([", ".join(row) for row in zip(*parts, strict=True)] or [""] * len(table), index=table.index)


def _text(names: dict[str, str], baseline: dict[str, str]) -> str | None:
    if not names or not set(names) <= set(baseline):
        return None
    return ", ".join(_format_level(short, baseline[name]) for name, short in names.items())


def _format_level(short: str, value: str) -> str:
    return f"{short}={value}" if short else str(value)


def _group_levels(name: str, values: pd.Series[str], notes: list[str]) -> pd.Series[str]:
    """The levels of a parameter; quartiles if it is numeric with more than `MAX_LEVELS`."""
    count = values.nunique()
    numbers = pd.to_numeric(values, errors="coerce")
    if count <= MAX_LEVELS or numbers.isna().any() or not numbers.map(math.isfinite).all():
        return values
    quarters = pd.qcut(numbers, 4, duplicates="drop")  # a frequent value may be more than one quartile
    notes.append(f"{name} has {count} values, cut into {len(quarters.cat.categories)} groups of equal size.")
    return quarters.map(lambda part: f"{part.left:.3g} to {part.right:.3g}").astype(str)


def players(observations: Observations, pairs: bool, baseline_player: Baseline = None) -> list[Feature]:
    """Return player features: one per seat, or one of ordered pairs."""
    table, seats = observations.table, observations.seats
    given = baseline_names(baseline_player)
    if len(given) not in (0, 1, len(seats)):
        expected = f"one for all seats, or one for each of {', '.join(observations.roles)}"
        raise ValueError(f"invalid baseline_player={list(given)}: expected {expected}")
    first = first_players(observations)
    wanted = dict(zip(seats, cycle(given), strict=False)) if given else first  # a single name is for all seats
    if not pairs:
        return [Feature(seat, table[seat], wanted[seat], is_player=True) for seat in seats]
    if len(seats) != 2:
        raise ValueError(f"invalid pairs: expected a game with 2 seats, got {observations.family} with {len(seats)}")
    levels = pair_levels(table, seats)
    self_play = pair_level(first[seats[0]], first[seats[0]])
    default = self_play if self_play in set(levels) else levels.iloc[0]
    return [Feature(PAIR, levels, pair_level(*wanted.values()) if given else default, is_player=True)]


def baseline_names(baseline_player: Baseline) -> tuple[str, ...]:
    return (baseline_player,) if isinstance(baseline_player, str) else tuple(baseline_player or ())


PAPER_BASELINE_PLAYER = "gemini-1.5-flash"
"""The baseline of GLEE's regressions, in both seats (its `analyze/ML.py`)."""


def first_players(observations: Observations) -> dict[str, str]:
    """Return the default baseline player of every seat.

    `PAPER_BASELINE_PLAYER` if it takes this seat; else the player in the first seat of the first match if it does; else
    the first player of this seat in the data.
    """
    table, seats = observations.table, observations.seats
    first = str(table[seats[0]].iloc[0])
    taken = {seat: [name for name in table[seat].unique() if name != ABSENT] or [ABSENT] for seat in seats}
    return {
        seat: next(str(name) for name in (PAPER_BASELINE_PLAYER, first, names[0]) if name in names)
        for seat, names in taken.items()
    }


def pair_levels(table: pd.DataFrame, seats: Sequence[str]) -> pd.Series[str]:
    """Return the ordered pair of every row."""
    names = zip(*(table[seat] for seat in seats), strict=True)
    return pd.Series([pair_level(one, other) for one, other in names], index=table.index)


def pair_level(one: str, other: str) -> str:
    """Format a pair as ``spe / fair``; names with a slash are quoted, so distinct pairs have distinct levels."""
    return json.dumps([one, other]) if " / " in one + other else f"{one} / {other}"
