"""Records as observations: one row per match, with parameters, players and metrics."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from econzoo.envs.core import game as find_game
from econzoo.envs.core.faces import role_names
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import describe_no_result, matches_with_result, split_by_result
from econzoo.evaluate.analyses.regression.families import levels
from econzoo.evaluate.run import DuplicateRecords
from econzoo.evaluate.stats import nan_if_none

CLIPPED_METRICS = ("fairness", "efficiency")
"""Metrics clipped to [0, 1], as in the paper."""

GAIN = "_self_gain"
PLAYER = "_player"
ABSENT = "none"
"""Level of a parameter or seat that a match lacks."""


def format_role(role: str) -> str:
    """Format the column name of a role for display: ``"Alice"``."""
    return role.replace("_", " ").capitalize()


def format_column(name: str) -> str:
    """Format a column name for display: ``"delta 1"``, ``"Alice's gain"``, ``"Alice's player"``."""
    if name.endswith(GAIN):
        return f"{format_role(name.removesuffix(GAIN))}'s gain"
    return f"{format_role(name.removesuffix(PLAYER))}'s player" if name.endswith(PLAYER) else name.replace("_", " ")


@dataclass(frozen=True)
class Observations:
    """Matches of one family.

    Attributes:
        table: One row per match: ``match``, ``configuration`` (public parameters), ``seed`` (matches of one
            configuration and seed share random numbers), ``parameters`` as levels, ``ROLE_player`` and ``metrics``;
            NaN where undefined.
        roles: Roles in column names, e.g. ``("alice", "bob")``.
        clipped_shares: Share of defined values outside [0, 1], for each of `CLIPPED_METRICS`.
        definitions: Definitions of the metrics in the records.
        conflicting_repeats: Repeats that differ from the first record of the match.
        no_result_note: Note on excluded matches without a result; empty: none.
    """

    family: str
    table: pd.DataFrame
    parameters: tuple[str, ...]
    roles: tuple[str, ...]
    metrics: tuple[str, ...]
    clipped_shares: dict[str, float] = field(default_factory=dict)
    missing_counts: dict[str, int] = field(default_factory=dict)
    status_counts: dict[str, int] = field(default_factory=dict)
    definitions: tuple[str, ...] = ()
    repeats: int = 0
    conflicting_repeats: int = 0
    no_result_note: str = ""

    @property
    def seats(self) -> tuple[str, ...]:
        """Player columns."""
        return tuple(role + PLAYER for role in self.roles)

    @property
    def gains(self) -> tuple[str, ...]:
        """Self-gain columns, in seat order."""
        return tuple(role + GAIN for role in self.roles)


def observe(records: Sequence[Record], repeats: DuplicateRecords | None = None) -> list[Observations]:
    """Return the observations of every family, in the order of the records.

    Args:
        repeats: Duplicates excluded there; None: none.
    """
    names = dict.fromkeys(record.game for record in records)
    duplicates = repeats or DuplicateRecords()
    by_name = {name: [record for record in records if record.game == name] for name in names}
    return [
        replace(
            _observe_game(name, matches_with_result(own)),
            repeats=duplicates.counts[name],
            conflicting_repeats=duplicates.conflicting[name],
            no_result_note=describe_no_result(split_by_result(own)[1]),
        )
        for name, own in by_name.items()
    ]


def _observe_game(name: str, records: Sequence[Record]) -> Observations:
    # Matches may have different numbers of seats: a seat that a match lacks is taken by `ABSENT`.
    seats = max(len(record.players) for record in records)
    roles = tuple(role.lower().replace(" ", "_") for role in role_names(find_game(name), seats)[:seats])
    rows, settings = [], [levels(record.params) for record in records]
    parameters = tuple(dict.fromkeys(key for setting in settings for key in setting))
    for record, setting in zip(records, settings, strict=True):
        # All matches have all columns: a parameter that only some records have is a level in the others.
        own = {key: setting.get(key, ABSENT) for key in parameters}
        configuration = ", ".join(f"{key}={value}" for key, value in own.items())
        ids = {"match": record.id, "configuration": configuration, "seed": str(record.seed)}
        rows.append({**ids, **own, **_match_columns(record, roles)})
    ended = Counter(record.status for record in records)
    # Records without the option have the default metrics.
    definitions = dict.fromkeys(str(record.options.get("metrics", "paper")) for record in records)
    return clean_observations(name, pd.DataFrame(rows), parameters, roles, dict(ended), tuple(definitions))


def _match_columns(record: Record, roles: Sequence[str]) -> dict[str, Any]:
    here = len(record.players)
    gains = record.metrics["gains"]
    players = {role + PLAYER: _player_label(record, i) if i < here else ABSENT for i, role in enumerate(roles)}
    metrics = {name: nan_if_none(record.metrics[name]) for name in CLIPPED_METRICS}
    return {
        **players,
        **metrics,
        **{role + GAIN: nan_if_none(gains[i]) if i < here else math.nan for i, role in enumerate(roles)},
    }


def _player_label(record: Record, seat: int) -> str:
    """The player of a seat, followed by its substitutes, since the result is not of one player."""
    after = [str(one["player"]) for one in record.replacements or () if one["seat"] == seat]
    return ", then ".join([record.labels[seat], *after])


def clean_observations(
    name: str,
    table: pd.DataFrame,
    parameters: Sequence[str],
    roles: Sequence[str],
    status_counts: dict[str, int] | None = None,
    definitions: Sequence[str] = (),
) -> Observations:
    """Build observations from raw values: clip fairness and efficiency, count missing values.

    Args:
        table: See `Observations`; default ``match`` and ``seed`` are row numbers, and the default ``configuration``
            joins the parameters.
    """
    metrics = (*CLIPPED_METRICS, *(role + GAIN for role in roles))
    table = table.reset_index(drop=True)
    clipped: dict[str, float] = {}
    for metric in CLIPPED_METRICS:
        # Comparisons with NaN are false, so undefined values are neither outside nor known.
        outside = (table[metric] < 0) | (table[metric] > 1)
        known = int(table[metric].notna().sum())
        clipped[metric] = float(outside.sum()) / known if known else 0.0
        table[metric] = table[metric].clip(0.0, 1.0)
    missing = {metric: int(table[metric].isna().sum()) for metric in metrics}
    for column in ("seed", "match"):
        if column not in table:
            table.insert(0, column, [str(number) for number in range(len(table))])
    if "configuration" not in table:
        table["configuration"] = [", ".join(row) for row in table[list(parameters)].astype(str).to_numpy()]
    return Observations(
        name, table, tuple(parameters), tuple(roles), metrics, clipped, missing, status_counts or {}, tuple(definitions)
    )
