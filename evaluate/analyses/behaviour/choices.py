"""Calibration of the probabilities that models gave the kinds of move, and what their mixtures lose."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import PLACE_COLUMNS, decision_stakes, places
from econzoo.evaluate.analyses.behaviour.rows import Row, frame_of, mean_rows, new_row
from econzoo.evaluate.stats import BINS, bin_name, bin_of, reliability

CHOICES, TOLD, CHOSEN = "choice probabilities", "told probability", "chosen by told probability"
LIKELIEST, LIKELIEST_CHOSEN, DIFFERENCE, ERROR, BEST, LOST = KEYS = (
    "likeliest kind",
    "likeliest chosen",
    "chosen minus told",
    "expected calibration error",
    "probability of the best answer",
    "value lost by the mixture",
)
ANY_KIND = "any kind"


def choice_table(records: Iterable[Record]) -> pd.DataFrame:
    """Return one row per decision and possible kind, of decisions whose probabilities are recorded.

    Invalid replies and default actions have no rows. Columns: ``match``, ``cluster`` (setting and seed), ``setting``,
    ``game``, ``player``, ``opponent``, ``role``, ``seat``, ``kind``, ``told`` (its probability), ``chosen`` (1 or 0);
    and in the row of the likeliest kind, else NaN, ``difference`` (chosen minus told), ``best`` (the probability of the
    better answer) and ``lost`` (the value that the mixture loses), where the stake is known.
    """
    rows = (row for record in records for row in _choices(record))
    return frame_of(rows, [*PLACE_COLUMNS, "kind", "told", "chosen", "difference", "best", "lost"])


def _choices(record: Record) -> Iterator[dict[str, Any]]:
    if not any(turn.probabilities for turn in record.turns):
        return
    where = places(record)
    stakes = {seat: iter(decision_stakes(record, seat)) for seat in range(len(record.players))}
    for turn in record.turns:
        if turn.action is None:
            continue
        stake = next(stakes[turn.seat])
        told = turn.probabilities.get("kinds", {})
        kind = turn.action.get("kind")
        if turn.default or kind not in told:  # a prompt may have its own words for the kinds
            continue
        likeliest = max(told, key=lambda name: told[name])
        best, lost = _mixture(told, stake)
        for name, share in told.items():
            chosen = float(name == kind)
            whole = {"difference": chosen - share, "best": best, "lost": lost}
            yield {
                **where[turn.seat],
                **{"kind": name, "told": share, "chosen": chosen},
                **(whole if name == likeliest else dict.fromkeys(whole, math.nan)),
            }


def _mixture(told: dict[str, float], stake: float | None) -> tuple[float, float]:
    """Return the probability of the better of accepting and not, and the value lost; NaN where the stake is unknown."""
    if stake is None or math.isnan(stake) or "accept" not in told:
        return math.nan, math.nan
    better = told["accept"] if stake >= 0 else 1 - told["accept"]
    return better, (1 - better) * abs(stake)


def choices(table: pd.DataFrame) -> list[Row]:
    """Return the calibration of every player and role.

    `CHOICES`: mean probability of the likeliest kind, how often it was chosen, the difference, the expected calibration
    error over all kinds (above 0 by chance alone, and therefore without an interval), the probability of the best
    answer and the value lost. `TOLD` and `CHOSEN`: mean probability and share chosen of each kind, and of all together,
    by bin of probability (the key).
    """
    if not len(table):
        return []
    decisions = table[table["difference"].notna()]
    rows = mean_rows(CHOICES, decisions.assign(key=LIKELIEST), "told", is_share=False)
    rows += mean_rows(CHOICES, decisions.assign(key=LIKELIEST_CHOSEN), "chosen")
    for key, value in ((DIFFERENCE, "difference"), (BEST, "best"), (LOST, "lost")):
        rows += mean_rows(CHOICES, decisions.assign(key=key), value, is_share=False)
    for (game, player, role), group in table.groupby(["game", "player", "role"], sort=False):
        rows.append(new_row(CHOICES, (game, player, role), ERROR, (_error(group), math.nan, math.nan), len(group)))
    for part in (table.assign(kind=ANY_KIND), table):
        bins = [bin_name(place) for place in bin_of(part["told"].to_numpy(float))]
        binned = part.assign(key=part["kind"] + ", " + np.array(bins, dtype=object))
        rows += mean_rows(TOLD, binned, "told", is_share=False)
        rows += mean_rows(CHOSEN, binned, "chosen")
    return rows


def _error(group: pd.DataFrame) -> float:
    told, chosen = group["told"].to_numpy(float), group["chosen"].to_numpy(float)
    error, *_ = reliability(told, chosen, np.eye(BINS)[bin_of(told)], np.ones((1, len(group))))
    return float(error[0])
