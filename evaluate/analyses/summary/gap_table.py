"""How far the others of a ranking are behind the first one, as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping

from econzoo.evaluate.show.console import TextTable
from econzoo.evaluate.show.escapes import called
from econzoo.evaluate.show.numbers import capitalized, number, span
from econzoo.evaluate.stats.estimates import Difference

SAME_SEEDS = "markets and seeds"

HEADS = ["player", "behind", "95%", "not by chance (Holm)"]


def behind_tables(
    first: str, behind: Mapping[str, Difference], measure: str, pairs: str = SAME_SEEDS
) -> list[TextTable]:
    """One row for everybody of whom an interval says how sure the difference is; no table without a row.

    Args:
        first: The first one.
        behind: See `econzoo.evaluate.stats.estimates.behind`.
        measure: What they are ranked by.
        pairs: In what they are compared.
    """
    gaps = {player: gap for player, gap in behind.items() if not math.isnan(gap.low)}
    rows = [[called(name), number(gap.mean), span(gap), "yes" if gap.distinct else "no"] for name, gap in gaps.items()]
    title = f"{capitalized(measure)} less than that of {called(first)}, in the same {pairs}"
    return [TextTable(title, HEADS, rows)] if rows else []
