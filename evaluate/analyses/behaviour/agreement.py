"""When players agree: the share of matches without a deal after each round (Kaplan and Meier 1958).

The event is agreement, the time its round. A match that ended by its rules without a deal would have gone on to the
horizon and no further: it is censored there, also where a seat opted out earlier (the match is still one without a
deal in every later round). A match that was cut off (forfeit, limit of moves, somebody left) is censored where it
stopped, as if it might have gone on like the others; where cut-offs are frequent that is a strong assumption.
"""

from __future__ import annotations

import numpy as np
from pandas import DataFrame

from econzoo.evaluate.analyses.behaviour.offers import CUT, DEAL
from econzoo.evaluate.analyses.behaviour.rows import Row, new_row, with_all
from econzoo.evaluate.stats.jackknife import jackknife
from econzoo.evaluate.stats.survival_curve import median_with_ends, survival

WITHOUT, MEDIAN = "no deal after round", "median round of agreement"


def agreement(endings: DataFrame) -> list[Row]:
    """The survival curve of every player (and all together), in either seat, and the median round.

    A match counts once for a player, also if it sat in both seats. The median is the first round after which at
    most half of the matches are without a deal; NaN if that never happens. Keys are rounds.

    Args:
        endings: See `econzoo.evaluate.analyses.behaviour.offers.ending_table`.
    """
    rows = []
    once = with_all(endings).drop_duplicates(["match", "player"])
    for (game, player), group in once.groupby(["game", "player"], sort=False):
        rows += _curve(game, player, group)
    return rows


def times(endings: DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Round of agreement or censoring of every match, and whether it was agreement."""
    agreed = (endings["ended"] == DEAL).to_numpy(bool)
    stopped = agreed | (endings["ended"] == CUT).to_numpy(bool)
    begun, horizon = endings["rounds"].to_numpy(int), endings["horizon"].to_numpy(int)
    # A round that was begun and cut off has not passed without a deal.
    return np.where(agreed, begun, np.where(stopped, begun - 1, horizon)), agreed


def _curve(game: str, player: str, group: DataFrame) -> list[Row]:
    time, agreed = times(group)
    rounds = np.arange(1, max(1, int(group["rounds"].max())) + 1)  # also where no match had a move
    events = ((time[:, None] == rounds) & agreed[:, None]).astype(float)
    at_risk = (time[:, None] >= rounds).astype(float)

    def statistic(weights: np.ndarray) -> np.ndarray:
        return survival(weights @ events, weights @ at_risk)

    curves = jackknife(statistic, group, cases=len(group))
    place = game, player, ""
    rows = [new_row(WITHOUT, place, str(t), [float(c[t - 1]) for c in curves], len(group)) for t in rounds.tolist()]
    return [*rows, new_row(MEDIAN, place, "median", median_with_ends(*curves), len(group))]
