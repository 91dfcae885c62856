"""Honesty: how often sellers say of a product what it is, and what buyers make of it.

A lie is a recommendation of a bad product or advice against a good one. In binary mode every message is one or the
other. Words count as far as they can be read (`econzoo.baselines.persuasion.signals`); the share that cannot is told.

A seller has been *caught* once a lie has come to light: to a long-living buyer every quality is told at the end of its
round, so any lie; to myopic buyers the statistics tell only of bad products that were bought. All rounds before
include the lie that was caught and none after it, so the rates before and after also differ because sellers that lie
more are caught sooner.
"""

from __future__ import annotations

import pandas as pd

from econzoo.evaluate.analyses.behaviour.exchanges import BUYER, SELLER
from econzoo.evaluate.analyses.behaviour.rows import Row, mean_rows

HONEST, LIES, UNREADABLE, BUYS = "honesty", "lie rate", "unreadable messages", "purchase rate"
RECOMMEND_BAD, DISCOURAGE_GOOD = "recommends bad", "discourages good"
ALL_ROUNDS = "all"
BEFORE, AFTER = "before caught", "after caught"
THIRDS = {1: "first third", 2: "second third", 3: "last third"}


def honesty(exchanges: pd.DataFrame) -> list[Row]:
    """Rates of every seller and buyer; n counts rounds.

    `HONEST` (said what is so) and `LIES` by what was lied about, over `ALL_ROUNDS`, by third of the match and before
    and after the seller was caught; `BUYS`, how often the buyer bought what was recommended or discouraged, likewise;
    `UNREADABLE`, the share of messages in words whose meaning cannot be told.

    Args:
        exchanges: See `econzoo.evaluate.analyses.behaviour.exchanges.exchange_table`.
    """
    sellers, buyers = exchanges[exchanges["seat"] == SELLER], exchanges[exchanges["seat"] == BUYER]
    told = sellers[sellers["said"].notna()]
    honest = told.assign(value=(told["said"] == told["good"]).astype(float))
    bad, good = told[told["good"] == 0], told[told["good"] == 1]
    lies = {RECOMMEND_BAD: bad.assign(value=bad["said"]), DISCOURAGE_GOOD: good.assign(value=1.0 - good["said"])}
    buys = {
        f"buys if {word}": buyers[buyers["said"] == said].assign(value=lambda table: table["bought"])
        for word, said in (("recommended", 1.0), ("discouraged", 0.0))
    }
    spoken = sellers[sellers["words"]]
    unreadable = spoken.assign(key=ALL_ROUNDS, value=spoken["said"].isna().astype(float))
    return [
        *mean_rows(HONEST, by_condition({"": honest}), "value"),
        *mean_rows(LIES, by_condition(lies), "value"),
        *mean_rows(BUYS, by_condition(buys), "value"),
        *mean_rows(UNREADABLE, unreadable, "value"),
    ]


def by_condition(parts: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The tables with a column ``key``: over all rounds, by third, and before and after the seller was caught."""
    out = []
    for name, table in parts.items():
        start = f"{name}, " if name else ""
        out.append(table.assign(key=name or ALL_ROUNDS))
        out += [table[table["third"] == third].assign(key=start + word) for third, word in THIRDS.items()]
        caught = table["caught"].astype(bool)
        out += [table[~caught].assign(key=start + BEFORE), table[caught].assign(key=start + AFTER)]
    return pd.concat(out, ignore_index=True)
