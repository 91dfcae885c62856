"""Features of the regression: parameters, the market, the players; each with its levels and its baseline."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle

import pandas as pd

from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.regression.families import Family, family
from econzoo.evaluate.analyses.regression.observations import ABSENT, Observations

MODES = ("market", "plain", "all")
"""Ways to make features of parameters: what the paper merges into one feature merged; all parameters one by one; all
parameters merged into one feature."""

SETTING_FEATURE, CONFIGURATION, PAIR = "market", "configuration", "pair"
MAX_LEVELS = 24
"""More levels than this of a number, and it is cut into four groups of equal size."""

Baseline = str | Sequence[str] | None
"""Whom players are compared with: one for all seats, one a seat, or nobody in particular."""


@dataclass(frozen=True)
class Feature:
    """One feature.

    Attributes:
        name: Of a parameter, ``market``, ``configuration``, ``ROLE_player`` or ``pair``.
        values: The level of every row.
        baseline: The level that effects are measured against, if it is in the data; None: the most frequent one.
        is_player: Whether it says who plays.
    """

    name: str
    values: pd.Series[str]
    baseline: str | None = None
    is_player: bool = False


@dataclass
class Features:
    """All features of a family, and what a reader must know about them."""

    items: list[Feature] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def features(
    observations: Observations, mode: str = "market", pairs: bool = False, baseline_player: Baseline = None
) -> Features:
    """The features of a family.

    Args:
        observations: See `Observations`.
        mode: One of `MODES`.
        pairs: Ordered pairs of players as one feature, in place of one feature for each seat.
        baseline_player: One for all seats, or one a seat; None: see `first_players`.

    Raises:
        ValueError: There are other than one or as many as seats.
    """
    made = Features()
    made.items += _parameters(observations, mode, made.notes)
    made.items += players(observations, pairs, baseline_player)
    return made


def _parameters(observations: Observations, mode: str, notes: list[str]) -> list[Feature]:
    known, table = family(observations.family), observations.table
    if mode == "all":
        return [_configuration_feature(observations, known)]
    merged = [name for name in known.merged_parameters if name in observations.parameters] if mode == "market" else []
    alone = [name for name in observations.parameters if name not in merged]
    found = [Feature(name, _group_levels(name, table[name], notes), known.baseline.get(name)) for name in alone]
    return ([_setting_feature(table, known, merged)] if merged else []) + found


def _setting_feature(table: pd.DataFrame, known: Family, merged: Sequence[str]) -> Feature:
    """The merged feature, with levels such as ``CI=true, MA=false, T=inf``."""
    baseline = {**known.baseline, **known.merged_baseline}
    names = {name: known.merged_parameters[name] for name in merged}
    return Feature(SETTING_FEATURE, join_columns(table, names), _text(names, baseline))


def _configuration_feature(observations: Observations, known: Family) -> Feature:
    """All parameters that vary, merged."""
    table = observations.table
    varying = {name: name for name in observations.parameters if table[name].nunique() > 1}
    return Feature(
        CONFIGURATION, join_columns(table, varying), _text(varying, {**known.baseline, **known.merged_baseline})
    )


def join_columns(table: pd.DataFrame, names: dict[str, str]) -> pd.Series[str]:
    """Several columns as one text for each row."""
    parts = [[_format_level(short, value) for value in table[name]] for name, short in names.items()]
    return pd.Series([", ".join(row) for row in zip(*parts, strict=True)] or [""] * len(table), index=table.index)


def _text(names: dict[str, str], baseline: dict[str, str]) -> str | None:
    if not names or not set(names) <= set(baseline):
        return None
    return ", ".join(_format_level(short, baseline[name]) for name, short in names.items())


def _format_level(short: str, value: str) -> str:
    return f"{short}={value}" if short else str(value)


def _group_levels(name: str, values: pd.Series[str], notes: list[str]) -> pd.Series[str]:
    """The levels of a parameter; numbers with very many of them in four groups of equal size."""
    count = values.nunique()
    numbers = pd.to_numeric(values, errors="coerce")
    if count <= MAX_LEVELS or numbers.isna().any() or not numbers.map(math.isfinite).all():
        return values
    quarters = pd.qcut(numbers, 4, duplicates="drop")
    notes.append(f"{name} takes {count} values: cut into {len(quarters.cat.categories)} groups of equal size.")
    return quarters.map(lambda part: f"{part.left:.3g} to {part.right:.3g}").astype(str)


def players(observations: Observations, pairs: bool, baseline_player: Baseline = None) -> list[Feature]:
    """Who plays: one feature for each seat, or one for the ordered pair.

    Raises:
        ValueError: Pairs of a game that has no two seats, or other than one or as many baseline players as seats.
    """
    table, seats = observations.table, observations.seats
    given = baseline_names(baseline_player)
    if len(given) not in (0, 1, len(seats)):
        allowed = f"one for all seats, or one for each of {', '.join(observations.roles)}"
        raise ValueError(f"{len(given)} baseline players are not allowed; allowed: {allowed}")
    first = first_players(observations)
    wanted = dict(zip(seats, cycle(given), strict=False)) if given else first
    if not pairs:
        return [Feature(seat, table[seat], wanted[seat], is_player=True) for seat in seats]
    if len(seats) != 2:
        raise ValueError(f"{observations.family} has {format_count(len(seats), 'seat')}; pairs are for games with 2")
    levels = pair_levels(table, seats)
    itself = first[seats[0]]
    alone = pair_level(*wanted.values()) if given else pair_level(itself, itself)
    kept = bool(given) or alone in set(levels)
    return [Feature(PAIR, levels, alone if kept else levels.iloc[0], is_player=True)]


def baseline_names(baseline_player: Baseline) -> tuple[str, ...]:
    """The names of a choice."""
    return (baseline_player,) if isinstance(baseline_player, str) else tuple(baseline_player or ())


PAPER_BASELINE_PLAYER = "gemini-1.5-flash"
"""The baseline of GLEE's regressions, in both seats (its `analyze/ML.py`)."""


def first_players(observations: Observations) -> dict[str, str]:
    """For each seat the player that others are compared with.

    `PAPER_BASELINE_PLAYER`, if it takes this seat; else the player in the first seat of the first match, if it ever
    takes this
    seat; else the first in the data that does.
    """
    table, seats = observations.table, observations.seats
    first = str(table[seats[0]].iloc[0])
    taken = {seat: [name for name in table[seat].unique() if name != ABSENT] or [ABSENT] for seat in seats}
    return {
        seat: next(str(name) for name in (PAPER_BASELINE_PLAYER, first, names[0]) if name in names)
        for seat, names in taken.items()
    }


def pair_levels(table: pd.DataFrame, seats: Sequence[str]) -> pd.Series[str]:
    """The ordered pair of every row."""
    names = zip(*(table[seat] for seat in seats), strict=True)
    return pd.Series([pair_level(one, other) for one, other in names], index=table.index)


def pair_level(one: str, other: str) -> str:
    """``spe / fair``; names that have the stroke in them are quoted, so that no two pairs look the same."""
    return json.dumps([one, other]) if " / " in one + other else f"{one} / {other}"
