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

from econzoo.evaluate.behaviour.rows import Row, mean_rows, new_row, with_all
from econzoo.evaluate.jackknife import FISHER, group_sums, jackknife

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
        endings: See `econzoo.evaluate.behaviour.offers.ending_table`.
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


def pearson(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted correlation of the last axis.

    Args:
        x: Shape (rows,) or (k, rows).
        y: Likewise.
        weights: Shape (k, rows).

    Returns:
        Shape (k,); NaN where x or y does not vary.
    """
    sizes = [np.abs(x).max(), np.abs(y).max()]
    total = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    dx, dy = (v - (weights * v).sum(axis=1, keepdims=True) / total for v in (x, y))
    total = total[:, 0]
    covariance, *variances = ((weights * a * b).sum(axis=1) / total for a, b in ((dx, dy), (dx, dx), (dy, dy)))
    # Rounding leaves a little variance where there is none.
    varies = [v > (1e-12 * size) ** 2 for v, size in zip(variances, sizes, strict=True)]
    scale = np.sqrt(variances[0] * variances[1])
    out = np.divide(covariance, scale, out=np.full_like(scale, np.nan), where=varies[0] & varies[1] & (scale > 0))
    return np.clip(out, -1.0, 1.0)


def ranks(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean ranks of the values for each row of weights, ties sharing theirs; shape (k, rows).

    A row counts as often as its weight.
    """
    place = np.unique(x, return_inverse=True)[1]
    counts = group_sums(weights, place)
    return (np.cumsum(counts, axis=1) - (counts - 1.0) / 2)[:, place]


def centred(x: np.ndarray, markets: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Deviations from the mean of each market for each row of weights; shape (k, rows)."""
    counts = group_sums(weights, markets)
    means = np.divide(group_sums(weights * x, markets), counts, out=np.zeros_like(counts), where=counts > 0)
    return x - means[:, markets]
