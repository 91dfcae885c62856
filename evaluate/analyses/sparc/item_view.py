"""Answers by item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from econzoo.envs.games.code_reading.items import item_numbers, items
from econzoo.evaluate.analyses.sparc.answers import Answer
from econzoo.evaluate.show import COUNT, FILES, READER_PLACES, SHARE, TEXT, Column, Table

MAX_HARDEST = 25
"""Maximum items shown in terminals and pages."""

GUESS = 0.5


def item_tables(given: Iterable[Answer]) -> list[Table]:
    """Return label, accuracy and mean prediction per item and text."""
    probabilities: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in given:
        if one.probability is not None:
            probabilities[one.item, one.variant].append(one.probability)
    rows = [_row(*key, own) for key, own in probabilities.items()]
    # The lowest accuracy first.
    rows.sort(key=lambda row: (row[4], row[0], row[1]))
    columns = [
        Column("item", kind=TEXT),
        Column("text", kind=TEXT),
        Column("kind", kind=TEXT),
        Column("label", digits=2, meaning="label: probability of cooperation in all ten rounds"),
        Column("right", "accuracy", SHARE, meaning="accuracy: share of answers on the side of the label"),
        Column("said", "prediction", digits=2, meaning="prediction: mean predicted probability"),
        Column("answers", kind=COUNT),
    ]
    title = f"Items, the {min(MAX_HARDEST, len(rows))} hardest of {len(rows)}"
    return [
        Table("items", "Items", columns, rows, places=(FILES,)),
        Table("items", title, columns, rows[:MAX_HARDEST], "All items are in items.csv.", places=READER_PLACES),
    ]


def _row(item: str, variant: str, probabilities: Sequence[float]) -> list[object]:
    one = items()[item_numbers()[item]]
    sides = [GUESS if value == GUESS else float((value > GUESS) == (one.label > GUESS)) for value in probabilities]
    kind = "stochastic" if one.stochastic else "deterministic"
    return [item, variant, kind, one.label, fmean(sides), fmean(probabilities), len(probabilities)]
