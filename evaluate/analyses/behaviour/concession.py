"""Concession curves: what players ask for, round by round.

A curve over all matches is a mean over those that still run, and these are not the same matches from round to round:
where hard players meet, matches last longer, so a curve can rise although nobody ever asks for more. Two more measures
guard against that: how many matches still run, and the mean step from a seat's own last offer in the same match.
"""

from __future__ import annotations

import pandas as pd

from econzoo.evaluate.analyses.behaviour.rows import Row, mean_rows

ASKED, STEP, RUNNING = "asked", "concession step", "still running"


def concession(offers: pd.DataFrame, endings: pd.DataFrame) -> list[Row]:
    """Means by player, seat and round (the key).

    `ASKED`: what was asked for, n offers. `STEP`: the change since the seat's last offer in the same match, n offers.
    `RUNNING`: the share of matches in which the round began, n matches in all.

    Args:
        offers: See `econzoo.evaluate.analyses.behaviour.offers.offer_table`.
        endings: See `econzoo.evaluate.analyses.behaviour.offers.ending_table`.
    """
    asked = mean_rows(ASKED, offers, "asked", "round")
    steps = mean_rows(STEP, offers, "step", "round")
    return [row for rows in (asked, steps, _running(endings)) for row in sorted(rows, key=_place)]


def _place(row: Row) -> tuple[str, str, str, int]:
    return row.game, row.player, row.role, int(row.key)


def _running(endings: pd.DataFrame) -> list[Row]:
    """The share of matches that reach each round, up to the last one that any match of the game reached."""
    rows = []
    for _, group in endings.groupby("game", sort=False):
        last = int(group["rounds"].max())
        reached = [group.assign(round=t, value=(group["rounds"] >= t).astype(float)) for t in range(1, last + 1)]
        if reached:
            rows += mean_rows(RUNNING, pd.concat(reached, ignore_index=True), "value", "round")
    return rows
