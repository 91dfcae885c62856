"""Whether shares of the equilibrium payoff stand beside gains of the same matches, and what is told where they do not.

A share is defined in the seats to which the equilibrium pays something. Where these are not all seats of a table, its
gains are those of other matches than its shares, and the two have to stand apart: `share_rows` has both of just the
matches with a share, and how many they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from econzoo.evaluate.analyses.frame import SELF_GAIN
from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.numbers import number, percent, span
from econzoo.evaluate.stats.intervals import Interval

SHARE, SHARE_GAIN = "share", "share_gain"

TITLE = "Share of the equilibrium payoff, in the seats where that is known and not 0"
HEADS = ["player", "seats", "gain there", "95%", "equil.", "95%"]

Estimates = Mapping[str, Interval]


def of_the_same_matches(rows: Iterable[Estimates]) -> bool:
    """Whether everybody's share, if any has one, is of the same matches as its gain."""
    rows = list(rows)
    return all(one[SHARE].rows == one[SELF_GAIN].rows for one in rows) or not any(one[SHARE].rows for one in rows)


def share_rows(rows: Mapping[str, Estimates]) -> list[list[str]]:
    """Below `HEADS`: in how many seats there is a share, and gain and share in these."""
    return [
        [
            name,
            seats_told(found),
            *(number(found[SHARE_GAIN].mean), span(found[SHARE_GAIN])),
            *(percent(found[SHARE].mean), span(found[SHARE])),
        ]
        for name, found in rows.items()
    ]


def share_tables(rows: Mapping[str, Estimates], first: str = "player") -> list[TextTable]:
    """The table of `share_rows`; none where shares are of the same matches as gains."""
    if of_the_same_matches(rows.values()):
        return []
    return [TextTable(TITLE, [first, *HEADS[1:]], share_rows(rows))]


def seats_told(found: Estimates) -> str:
    """``24 of 36``: in how many of the seats that a player took there is a share."""
    return f"{found[SHARE].rows:,} of {found[SELF_GAIN].rows:,}"
