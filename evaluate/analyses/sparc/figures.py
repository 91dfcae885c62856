"""Bar chart of accuracy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from econzoo.evaluate.analyses.sparc.item_view import GUESS
from econzoo.evaluate.show import INK, SERIES, apply_style, axes, legend, set_percent_ticks, whisker, wrap_labels
from econzoo.evaluate.stats import Interval


@apply_style
def accuracy_figure(accuracies: Mapping[str, Mapping[str, Interval]]) -> Figure:
    """Plot the accuracy of every reader and text with intervals; the dashed line is chance.

    Args:
        accuracies: Reader to text to accuracy, from 0 to 1.
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
    ax.set_yticks(range(len(readers)), wrap_labels(readers))
    ax.set_xlabel("accuracy")
    ax.set_xlim(0.0, 1.0)
    set_percent_ticks(ax.xaxis)
    ax.grid(visible=False, axis="y")
    legend(figure)
    return figure
