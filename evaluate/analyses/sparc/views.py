"""Accuracy as bars, and how every program was read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np
from matplotlib.figure import Figure

from econzoo.envs.games.code_reading.items import items, numbers
from econzoo.evaluate.analyses.sparc.answers import Answer
from econzoo.evaluate.show.figure_labels import legend, wrapped_all
from econzoo.evaluate.show.figures import axes, percents, styled, whisker
from econzoo.evaluate.show.palette import INK, SERIES
from econzoo.evaluate.show.parts import COUNT, FILES, SHARE, SHOWN, TEXT, Column, Table
from econzoo.evaluate.stats.intervals import Interval

HARDEST = 25
"""Programs that people see in the table of items."""

GUESS = 0.5


@styled
def accuracy_figure(accuracies: Mapping[str, Mapping[str, Interval]]) -> Figure:
    """Accuracy of every reader as bars, one for each text, with its interval; the line is that of a coin.

    Args:
        accuracies: Reader to text to accuracy, a share from 0 to 1.
    """
    readers = list(accuracies)[::-1]
    texts = list(dict.fromkeys(text for own in accuracies.values() for text in own))
    figure, ax = axes(1.0 + (0.2 + 0.22 * len(texts)) * len(readers))
    step = 0.8 / len(texts)
    for at, text in enumerate(texts):
        bars = {place: accuracies[one][text] for place, one in enumerate(readers) if text in accuracies[one]}
        places = [place + 0.4 - (at + 0.5) * step for place in bars]
        color = SERIES[at % len(SERIES)]
        ax.barh(places, [one.mean for one in bars.values()], 0.9 * step, color=color, label=f"{text} text")
        low, high = np.array([whisker(one) for one in bars.values()]).reshape(-1, 2).T
        ax.hlines(places, low, high, color=INK, linewidth=1.2)
    ax.axvline(GUESS, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.set_yticks(range(len(readers)), wrapped_all(readers))
    ax.set_xlabel("accuracy")
    ax.set_xlim(0.0, 1.0)
    percents(ax.xaxis)
    ax.grid(visible=False, axis="y")
    legend(figure)
    return figure


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
    title = f"Items, the {min(HARDEST, len(rows))} hardest of {len(rows)}"
    return [
        Table("items", "Items", columns, rows, places=(FILES,)),
        Table("items", title, columns, rows[:HARDEST], "All stand in the files.", places=SHOWN),
    ]


def _row(item: str, variant: str, said: Sequence[float]) -> list[object]:
    one = items()[numbers()[item]]
    sides = [GUESS if value == GUESS else float((value > GUESS) == (one.label > GUESS)) for value in said]
    kind = "stochastic" if one.stochastic else "deterministic"
    return [item, variant, kind, one.label, fmean(sides), fmean(said), len(said)]
