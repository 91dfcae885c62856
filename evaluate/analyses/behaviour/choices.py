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

CHOICES, PROBABILITY, CHOSEN = "choice probabilities", "mean choice probability", "choice frequency by probability"
LIKELIEST, LIKELIEST_CHOSEN, DIFFERENCE, ERROR, BEST, LOST = KEYS = (
    "likeliest kind",
    "likeliest chosen",
    "chosen minus probability",
    "expected calibration error",
    "probability of the best answer",
    "value lost by the mixture",
)
ANY_KIND = "any kind"


def has_choices(record: Record) -> bool:
    """Whether a record has probabilities of moves."""
    return any(turn.probabilities for turn in record.turns)


def choice_table(records: Iterable[Record]) -> pd.DataFrame:
    """Return one row per decision and possible kind, of decisions whose probabilities are recorded.

    Invalid replies and default actions have no rows. Columns: ``match``, ``cluster`` (setting and seed), ``setting``,
    ``game``, ``player``, ``opponent``, ``role``, ``seat``, ``kind``, ``probability``, ``chosen`` (1 or 0);
    and in the row of the likeliest kind, else NaN, ``difference`` (chosen minus probability), ``best`` (the probability
    of the better answer) and ``lost`` (the value that the mixture loses), where the stake is known.
    """
    rows = (row for record in records for row in _choices(record))
    return frame_of(rows, [*PLACE_COLUMNS, "kind", "probability", "chosen", "difference", "best", "lost"])


def _choices(record: Record) -> Iterator[dict[str, Any]]:
    if not has_choices(record):
        return
    where = places(record)
    stakes = {seat: iter(decision_stakes(record, seat)) for seat in range(len(record.players))}
    for turn in record.turns:
        if turn.action is None:
            continue
        stake = next(stakes[turn.seat])
        shares = turn.probabilities.get("kinds", {})
        kind = turn.action.get("kind")
        if turn.default or kind not in shares:  # a prompt may have its own words for the kinds
            continue
        likeliest = max(shares, key=lambda name: shares[name])
        best, lost = _mixture(shares, stake)
        for name, share in shares.items():
            chosen = float(name == kind)
            whole = {"difference": chosen - share, "best": best, "lost": lost}
            yield {
                **where[turn.seat],
                **{"kind": name, "probability": share, "chosen": chosen},
                **(whole if name == likeliest else dict.fromkeys(whole, math.nan)),
            }


def _mixture(shares: dict[str, float], stake: float | None) -> tuple[float, float]:
    """Return the probability of the better of accepting and not, and the value lost; NaN where the stake is unknown."""
    if stake is None or math.isnan(stake) or "accept" not in shares:
        return math.nan, math.nan
    better = shares["accept"] if stake >= 0 else 1 - shares["accept"]
    return better, (1 - better) * abs(stake)


def choices(table: pd.DataFrame) -> list[Row]:
    """Return the calibration of every player and role.

    `CHOICES`: mean probability of the likeliest kind, how often it was chosen, the difference, the expected calibration
    error over all kinds (above 0 by chance alone, and therefore without an interval), the probability of the best
    answer and the value lost. `PROBABILITY` and `CHOSEN`: mean probability and share chosen of each kind, and of all
    together, by bin of probability (the key).
    """
    if not len(table):
        return []
    decisions = table[table["difference"].notna()]
    rows = mean_rows(CHOICES, decisions.assign(key=LIKELIEST), "probability", is_share=False)
    rows += mean_rows(CHOICES, decisions.assign(key=LIKELIEST_CHOSEN), "chosen")
    for key, value in ((DIFFERENCE, "difference"), (BEST, "best"), (LOST, "lost")):
        rows += mean_rows(CHOICES, decisions.assign(key=key), value, is_share=False)
    for (game, player, role), group in table.groupby(["game", "player", "role"], sort=False):
        rows.append(new_row(CHOICES, (game, player, role), ERROR, (_error(group), math.nan, math.nan), len(group)))
    for part in (table.assign(kind=ANY_KIND), table):
        bins = [bin_name(place) for place in bin_of(part["probability"].to_numpy(float))]
        binned = part.assign(key=part["kind"] + ", " + np.array(bins, dtype=object))
        rows += mean_rows(PROBABILITY, binned, "probability", is_share=False)
        rows += mean_rows(CHOSEN, binned, "chosen")
    return rows


def _error(group: pd.DataFrame) -> float:
    probability, chosen = group["probability"].to_numpy(float), group["chosen"].to_numpy(float)
    error, *_ = reliability(probability, chosen, np.eye(BINS)[bin_of(probability)], np.ones((1, len(group))))
    return float(error[0])
