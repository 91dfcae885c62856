"""Measures of persuasion: honesty of sellers and trust of buyers.

*Honesty*: how often sellers report the true quality, and how buyers respond. A lie is a recommendation of a bad product
or advice against a good one. In binary mode every message is one or the other. Text counts if it can be classified
(`econzoo.baselines.persuasion.signals`); the unclassified share is reported. A seller is *caught* once a lie is
revealed: a long-living buyer observes every quality at the end of its round, hence any lie; to myopic buyers the
statistics reveal only bad products that were bought. The rounds before include the revealed lie, those after do not, so
the rates before and after also differ because sellers that lie more are caught sooner.

*Trust*: whether the purchase rate matches the probability of a good product given the seller's record. Each decision is
compared with the belief of a Bayesian buyer (see `econzoo.evaluate.analyses.behaviour.exchanges` for its assumptions).
A buyer whose purchase rate equals the belief at every level is calibrated. Calibration is not rationality: a buyer that
maximises money always buys above a threshold belief and never below it. So the share of decisions that agree with the
maximising Bayesian buyer is reported, too.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from pandas import DataFrame

from econzoo.evaluate.analyses.behaviour.exchanges import BUYER, SELLER
from econzoo.evaluate.analyses.behaviour.rows import Row, mean_rows, new_row
from econzoo.evaluate.stats import BINS, bin_name, bin_of, jackknife, reliability

HONEST, LIES, UNREADABLE, BUYS = "honesty", "lie rate", "unreadable messages", "purchase rate"
RECOMMEND_BAD, DISCOURAGE_GOOD = "recommends bad", "discourages good"
ALL_ROUNDS = "all"
BEFORE_CAUGHT, AFTER_CAUGHT = "before caught", "after caught"
THIRDS = {1: "first third", 2: "second third", 3: "last third"}


def honesty(exchanges: pd.DataFrame) -> list[Row]:
    """Rates of every seller and buyer; n counts rounds.

    `HONEST` (said what is so) and `LIES` by what was lied about, over `ALL_ROUNDS`, by third of the match and before
    and after the seller was caught; `BUYS`, how often the buyer bought what was recommended or discouraged, likewise;
    `UNREADABLE`, the share of messages in words whose meaning cannot be told.
    """
    sellers, buyers = exchanges[exchanges["seat"] == SELLER], exchanges[exchanges["seat"] == BUYER]
    claims = sellers[sellers["said"].notna()]
    honest = claims.assign(value=(claims["said"] == claims["good"]).astype(float))
    bad, good = claims[claims["good"] == 0], claims[claims["good"] == 1]
    lies = {RECOMMEND_BAD: bad.assign(value=bad["said"]), DISCOURAGE_GOOD: good.assign(value=1.0 - good["said"])}
    buys = {
        f"buys if {word}": buyers[buyers["said"] == said].assign(value=lambda table: table["bought"])
        for word, said in (("recommended", 1.0), ("discouraged", 0.0))
    }
    spoken = sellers[sellers["words"]]
    unreadable = spoken.assign(key=ALL_ROUNDS, value=spoken["said"].isna().astype(float))
    return [
        *mean_rows(HONEST, split_by_condition({"": honest}), "value"),
        *mean_rows(LIES, split_by_condition(lies), "value"),
        *mean_rows(BUYS, split_by_condition(buys), "value"),
        *mean_rows(UNREADABLE, unreadable, "value"),
    ]


def split_by_condition(parts: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables with a column ``key``: over all rounds, by third, and before and after the seller was caught."""
    out = []
    for name, table in parts.items():
        start = f"{name}, " if name else ""
        out.append(table.assign(key=name or ALL_ROUNDS))
        out += [table[table["third"] == third].assign(key=start + word) for third, word in THIRDS.items()]
        caught = table["caught"].astype(bool)
        out += [table[~caught].assign(key=start + BEFORE_CAUGHT), table[caught].assign(key=start + AFTER_CAUGHT)]
    return pd.concat(out, ignore_index=True)


RATE, BELIEF, CALIBRATION = "purchase rate by belief", "mean belief", "calibration"
ERROR, BRIER, BIAS, REFERENCE, BAYES = (
    "expected calibration error",
    "brier score",
    "trust bias",
    "brier score of the belief",
    "as the Bayesian buyer",
)


def trust(exchanges: DataFrame) -> list[Row]:
    """Calibration of every buyer; n counts decisions.

    `RATE` and `BELIEF`: purchase rate and mean belief in each bin of belief (the key); empty bins are left out.
    `CALIBRATION`: `ERROR`, the mean over decisions of the distance between the two (Naeini et al. 2015; above 0 by
    chance alone where there are few decisions, and therefore without an interval); `BRIER`, the mean of
    (bought - belief) squared; `BIAS`, the mean of bought - belief, above 0 for too much trust; `REFERENCE`, the mean of
    (good - belief) squared: how much the belief knew; `BAYES`, the share of decisions that are those of a Bayesian
    buyer that maximises its money (where buying is as good as not, either is).
    """
    known = exchanges[(exchanges["seat"] == BUYER) & exchanges["belief"].notna() & exchanges["bought"].notna()]
    return [
        row
        for (game, player, role), group in known.groupby(["game", "player", "role"], sort=False)
        for row in _rows(game, player, role, group)
    ]


def _rows(game: str, player: str, role: str, group: DataFrame) -> Iterator[Row]:
    belief, bought = group["belief"].to_numpy(float), group["bought"].to_numpy(float)
    scores = _scores(group, belief, bought)
    in_bin = np.eye(BINS)[bin_of(belief)]

    def statistic(weights: np.ndarray) -> np.ndarray:
        # Columns: `ERROR`, the scores, then `RATE` and `BELIEF` of every bin; `cases` and the rows below follow this
        # order.
        error, rate, mean = reliability(belief, bought, in_bin, weights)
        return np.concatenate([error[:, None], *(_mean(s, weights) for s in scores.values()), rate, mean], axis=1)

    # Only shares of cases have score intervals: `BAYES` and the rates. The others are no shares, so they have 0 cases.
    known = [np.isfinite(score).sum() if name == BAYES else 0 for name, score in scores.items()]
    cases = np.array([0, *known, *in_bin.sum(axis=0), *[0] * BINS])
    found = np.stack(jackknife(statistic, group, cases), axis=1)
    found[0, 1:] = np.nan  # it is above 0 by chance alone, by more than it varies
    for at, key in enumerate([ERROR, *scores]):
        defined = len(group) if key == ERROR else int(np.isfinite(scores[key]).sum())
        yield new_row(CALIBRATION, (game, player, role), key, found[at].tolist(), defined)
    start, counts = 1 + len(scores), in_bin.sum(axis=0).astype(int).tolist()
    for at, (measure, place) in enumerate((m, b) for m in (RATE, BELIEF) for b in range(BINS)):
        if counts[place]:
            yield new_row(measure, (game, player, role), bin_name(place), found[start + at].tolist(), counts[place])


def _mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Means over the decisions for which there is a value, shape (k, 1)."""
    known = np.isfinite(values)
    total = weights[:, known].sum(axis=1, keepdims=True)
    above = (weights[:, known] * values[known]).sum(axis=1, keepdims=True)
    return np.divide(above, total, out=np.full_like(total, np.nan), where=total > 0)


def _scores(group: DataFrame, belief: np.ndarray, bought: np.ndarray) -> dict[str, np.ndarray]:
    """What is a plain mean over decisions."""
    good, worth_it = group["good"].to_numpy(float), group["worth_it"].to_numpy(float)
    either = np.isclose(belief, worth_it)
    alike = np.where(np.isnan(worth_it), np.nan, (either | ((belief > worth_it) == (bought == 1.0))).astype(float))
    return {
        BRIER: (bought - belief) ** 2,
        BIAS: bought - belief,
        REFERENCE: (good - belief) ** 2,
        BAYES: alike,
    }
