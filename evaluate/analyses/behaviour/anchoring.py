"""Anchoring: how far a seat's first offer goes along with what is agreed in the end.

In bargaining a seat's offer is the share that it asks for itself, and the end its own share; in negotiation both are
prices. The first offer of the match is the opener's; the first counter-offer of the other seat is measured likewise.
A first offer that is accepted *is* the end, so such matches would make a correlation of 1 by themselves: they are left
out and their share is told apart. Matches without a deal have no end. A correlation is no proof of an effect: who
asks for more may also hold out for more. (First offers as anchors: Galinsky and Mussweiler 2001.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pandas import DataFrame

from econzoo.evaluate.analyses.behaviour.rows import Row, mean_rows, new_row, with_all
from econzoo.evaluate.stats.association import centred, pearson, ranks
from econzoo.evaluate.stats.jackknife import FISHER, jackknife

MEASURE = "anchoring"
PEARSON, SPEARMAN, WITHIN = "pearson", "spearman", "pearson within markets"
AT_ONCE = "accepted at once"
FEWEST = 3
"""Matches below which there is no correlation."""


def anchoring(endings: DataFrame) -> list[Row]:
    """Correlations of first and final terms for every player (and all together) in every seat.

    Keys: `PEARSON` and `SPEARMAN` over all matches; `WITHIN`, Pearson of the deviations from the means of each market,
    where there are several; `AT_ONCE`, the share of the seat's first offers that were accepted.

    Args:
        endings: See `econzoo.evaluate.analyses.behaviour.offers.ending_table`.
    """
    offered = with_all(endings[endings["first"].notna()])
    later = offered[offered["final"].notna() & ~offered["at_once"].astype(bool)]
    rows = [
        row
        for (game, player, role), group in later.groupby(["game", "player", "role"], sort=False)
        for row in _correlations(game, player, role, group)
    ]
    at_once = offered.assign(key=AT_ONCE, value=offered["at_once"].astype(float))
    return rows + mean_rows(MEASURE, at_once, "value")


def _correlations(game: str, player: str, role: str, group: DataFrame) -> Iterator[Row]:
    first, final = group["first"].to_numpy(float), group["final"].to_numpy(float)
    markets = group["market"].factorize()[0]
    keys = [PEARSON, SPEARMAN] + [WITHIN] * bool(markets.max(initial=0))

    def statistic(weights: np.ndarray) -> np.ndarray:
        found = [pearson(first, final, weights), pearson(ranks(first, weights), ranks(final, weights), weights)]
        if WITHIN in keys:
            found.append(pearson(centred(first, markets, weights), centred(final, markets, weights), weights))
        return np.stack(found, axis=1)

    few = [np.full(len(keys), np.nan)] * 3
    found = few if len(group) < FEWEST else list(jackknife(statistic, group, scale=FISHER))
    for at, key in enumerate(keys):
        yield new_row(MEASURE, (game, player, role), key, [float(part[at]) for part in found], len(group))
