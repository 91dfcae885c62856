"""How every program was read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from econzoo.envs.games.code_reading.items import item_numbers, items
from econzoo.evaluate.analyses.sparc.answers import Answer
from econzoo.evaluate.show.parts import COUNT, FILES, READER_PLACES, SHARE, TEXT, Column, Table

MAX_HARDEST = 25
"""Programs that people see in the table of items."""

GUESS = 0.5


def item_tables(given: Iterable[Answer]) -> list[Table]:
    """How every program was read in every text: its label, how many readers were right, and what was said on average.

    Args:
        given: Answers; those that could not be used count for nothing.
    """
    said: dict[tuple[str, str], list[float]] = defaultdict(list)
    for one in given:
        if one.probability is not None:
            said[one.item, one.variant].append(one.probability)
    rows = [_row(*key, own) for key, own in said.items()]
    rows.sort(key=lambda row: (row[4], row[0], row[1]))
    columns = [
        Column("item", kind=TEXT),
        Column("text", kind=TEXT),
        Column("kind", kind=TEXT),
        Column("label", digits=2, meaning="label: probability of ten cooperations"),
        Column("right", kind=SHARE, meaning="right: answers on the side of the label"),
        Column("said", digits=2, meaning="said: mean probability"),
        Column("answers", kind=COUNT),
    ]
    title = f"Items, the {min(MAX_HARDEST, len(rows))} hardest of {len(rows)}"
    return [
        Table("items", "Items", columns, rows, places=(FILES,)),
        Table("items", title, columns, rows[:MAX_HARDEST], "All stand in the files.", places=READER_PLACES),
    ]


def _row(item: str, variant: str, said: Sequence[float]) -> list[object]:
    one = items()[item_numbers()[item]]
    sides = [GUESS if value == GUESS else float((value > GUESS) == (one.label > GUESS)) for value in said]
    kind = "stochastic" if one.stochastic else "deterministic"
    return [item, variant, kind, one.label, fmean(sides), fmean(said), len(said)]
