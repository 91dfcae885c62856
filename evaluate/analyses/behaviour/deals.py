"""Measures of the games of alternating offers: anchoring, concession curves, and time of agreement.

*Anchoring*: the correlation of a seat's first offer with the final terms. In bargaining both are the seat's own share;
in negotiation both are prices. The first offer of the match is the opener's; the first counter-offer of the other seat
is measured likewise. A first offer that is accepted equals the final terms, so such matches are left out and their
share is reported separately. Matches without a deal have no final terms. The correlation is not causal: players that
ask for more may also hold out for more. (First offers as anchors: Galinsky and Mussweiler 2001.)

*Concessions*: demands by round. A curve is a mean over the matches that still run, which differ from round to round:
matches of tough players last longer, so a curve can rise although no player ever asks for more. Two further measures
account for this selection: the share of matches that still run, and the mean step from a seat's own last offer in the
same match.

*Agreement*: the share of matches without a deal after each round (Kaplan and Meier 1958). The event is agreement, the
time its round. A match that ended by its rules without a deal is censored at the horizon, also if a seat opted out
earlier (it has no deal in any later round). A match that was cut off (forfeit, limit of moves, dropout) is censored
where it stopped, which assumes that it would have continued like the others; a strong assumption if that is frequent.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from pandas import DataFrame

from econzoo.evaluate.analyses.behaviour.offers import CUT_OFF, DEAL
from econzoo.evaluate.analyses.behaviour.rows import Row, add_pooled_players, mean_rows, new_row
from econzoo.evaluate.stats import FISHER_SCALE, center_by_setting, jackknife, median_interval, pearson, ranks, survival

ANCHORING = "anchoring"
PEARSON, SPEARMAN, WITHIN_SETTINGS = "pearson", "spearman", "pearson within settings"
ACCEPTED_AT_ONCE = "accepted at once"
MIN_MATCHES = 3
"""Minimum number of matches for a correlation: any two points are on a line."""


def anchoring(endings: DataFrame) -> list[Row]:
    """Compute correlations of first and final terms for every player (and all pooled) in every seat.

    Keys: `PEARSON` and `SPEARMAN` over all matches; `WITHIN_SETTINGS`, Pearson of deviations from setting means, if
    there are several settings; `ACCEPTED_AT_ONCE`, the share of the seat's first offers that were accepted.
    """
    offered = add_pooled_players(endings[endings["first"].notna()])
    later = offered[offered["final"].notna() & ~offered["at_once"].astype(bool)]
    rows = [
        row
        for (game, player, role), group in later.groupby(["game", "player", "role"], sort=False)
        for row in _correlations(game, player, role, group)
    ]
    at_once = offered.assign(key=ACCEPTED_AT_ONCE, value=offered["at_once"].astype(float))
    return rows + mean_rows(ANCHORING, at_once, "value")


def _correlations(game: str, player: str, role: str, group: DataFrame) -> Iterator[Row]:
    first, final = group["first"].to_numpy(float), group["final"].to_numpy(float)
    settings = group["setting"].factorize()[0]
    keys = [PEARSON, SPEARMAN] + [WITHIN_SETTINGS] * bool(settings.max(initial=0))

    def statistic(weights: np.ndarray) -> np.ndarray:
        # The jackknife leaves matches out by weight, so ranks are those within each row of weights.
        columns = [pearson(first, final, weights), pearson(ranks(first, weights), ranks(final, weights), weights)]
        if WITHIN_SETTINGS in keys:
            x, y = (center_by_setting(values, settings, weights) for values in (first, final))
            columns.append(pearson(x, y, weights))
        return np.stack(columns, axis=1)

    undefined = [np.full(len(keys), np.nan)] * 3
    estimates = undefined if len(group) < MIN_MATCHES else list(jackknife(statistic, group, scale=FISHER_SCALE))
    for at, key in enumerate(keys):
        yield new_row(ANCHORING, (game, player, role), key, [float(part[at]) for part in estimates], len(group))


MEAN_DEMAND, CONCESSION_STEP, STILL_RUNNING = "asked", "concession step", "still running"


def concession(offers: pd.DataFrame, endings: pd.DataFrame) -> list[Row]:
    """Compute means by player, seat and round (the key).

    `MEAN_DEMAND`: the demand, n offers. `CONCESSION_STEP`: the change from the seat's last offer in the same match, n
    offers. `STILL_RUNNING`: the share of matches in which the round began, n matches.
    """
    demands = mean_rows(MEAN_DEMAND, offers, "asked", "round")
    steps = mean_rows(CONCESSION_STEP, offers, "step", "round")
    return [row for rows in (demands, steps, _running_shares(endings)) for row in sorted(rows, key=_place)]


def _place(row: Row) -> tuple[str, str, str, int]:  # keys are texts, of which "10" is before "2"
    return row.game, row.player, row.role, int(row.key)


def _running_shares(endings: pd.DataFrame) -> list[Row]:
    """The share of matches that reach each round, up to the game's last one."""
    rows = []
    for _, group in endings.groupby("game", sort=False):
        last = int(group["rounds"].max())
        reached = [group.assign(round=t, value=(group["rounds"] >= t).astype(float)) for t in range(1, last + 1)]
        if reached:
            rows += mean_rows(STILL_RUNNING, pd.concat(reached, ignore_index=True), "value", "round")
    return rows


NO_DEAL_SHARE, MEDIAN_ROUND = "no deal after round", "median round of agreement"


def agreement(endings: DataFrame) -> list[Row]:
    """Compute the survival curve of every player (and all pooled), over both seats, and the median round.

    Self-play matches count once. The median is the first round after which at most half of the matches are without a
    deal; NaN if there is none. Keys are rounds.
    """
    rows = []
    once = add_pooled_players(endings).drop_duplicates(["match", "player"])
    for (game, player), group in once.groupby(["game", "player"], sort=False):
        rows += _curve(game, player, group)
    return rows


def agreement_times(endings: DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return the round of agreement or censoring of every match, and whether it was agreement."""
    agreed = (endings["ended"] == DEAL).to_numpy(bool)
    stopped = agreed | (endings["ended"] == CUT_OFF).to_numpy(bool)
    begun, horizon = endings["rounds"].to_numpy(int), endings["horizon"].to_numpy(int)
    # A round that was cut off has not ended without a deal.
    return np.where(agreed, begun, np.where(stopped, begun - 1, horizon)), agreed


def _curve(game: str, player: str, group: DataFrame) -> list[Row]:
    time, agreed = agreement_times(group)
    rounds = np.arange(1, max(1, int(group["rounds"].max())) + 1)  # also where no match had a move
    events = ((time[:, None] == rounds) & agreed[:, None]).astype(float)
    at_risk = (time[:, None] >= rounds).astype(float)

    def statistic(weights: np.ndarray) -> np.ndarray:
        return survival(weights @ events, weights @ at_risk)

    # The curve is a share of cases, so its intervals have a width at 0 and 1 too.
    curves = jackknife(statistic, group, cases=len(group))
    place = game, player, ""
    rows = [
        new_row(NO_DEAL_SHARE, place, str(t), [float(c[t - 1]) for c in curves], len(group)) for t in rounds.tolist()
    ]
    return [*rows, new_row(MEDIAN_ROUND, place, "median", median_interval(*curves), len(group))]
