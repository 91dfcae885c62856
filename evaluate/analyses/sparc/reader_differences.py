"""How much less accurate readers are than the best one of the same form, item by item."""

from __future__ import annotations

import math
from collections.abc import Iterable

from econzoo.envs.games.code_reading.items import items, numbers
from econzoo.evaluate.analyses.gap_to_best import Case, behind_best, best_tables
from econzoo.evaluate.analyses.sparc.score_table import named
from econzoo.evaluate.analyses.sparc.scores import Answer
from econzoo.evaluate.show.console import TextTable, as_text

HEADS = ("text", "best", "reader")


def reader_differences(given: Iterable[Answer]) -> list[TextTable]:
    """Paired differences of accuracy on all items; answers that could not be used count in none."""
    cases = [
        Case(one.variant, named((one.player, one.prompt, one.variant)), one.item, right(one.item, one.probability))
        for one in given
    ]
    title = "Accuracy less than that of the best reader, item by item"
    return [*map(as_text, best_tables(behind_best(cases), title, HEADS, "All read the same items."))]


def right(item: str, said: float | None) -> float:
    """Whether an answer is on the side of the label: 1, 0, or a half for a half; NaN where that is not defined."""
    label = items()[numbers()[item]].label
    if said is None or label == 0.5:
        return math.nan
    return 0.5 if said == 0.5 else float((said > 0.5) == (label > 0.5))
