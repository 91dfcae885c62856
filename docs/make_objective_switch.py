"""Compares models that learned one objective each from the same start, and draws them by efficiency and fairness.

    python docs/make_objective_switch.py runs/switch/evaluation

The folder has matches of `econzoo evaluate` in which all of them met the same opponents in the same settings. Prints a
table of means, and of paired differences to each model's own objective; makes docs/objective_switch.png.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

from econzoo.envs.core.record.record import Record
from econzoo.evaluate.analyses.learning.learning_table import VALUE, rows_of
from econzoo.evaluate.run.design import Design, read_design
from econzoo.evaluate.run.folder import read_folder
from econzoo.evaluate.stats.columns import Columns, values_of
from econzoo.evaluate.stats.estimates import Difference, differences, estimate, population
from econzoo.evaluate.stats.intervals import Interval

PICTURE = Path(__file__).with_name("objective_switch.png")
MIX = "0.7*self_gain + 0.3*fairness"
OBJECTIVES = {"self-gain": "self_gain", "efficiency": "efficiency", "fairness": "fairness", "mix": MIX}
"""Last part of a model's folder to what it learned."""

START = "start"
"""Last part of the folder of the model that all begin with."""


def name_of(label: str) -> str:
    """The last part of a model's folder, or the name of a script."""
    return label.partition("?")[0].rsplit("/", 1)[-1]


def tables(records: list[Record], design: Design) -> dict[str, Columns]:
    """Objective to the value of each seat of every match, players by their short names."""
    found = {}
    for objective in OBJECTIVES.values():
        rows = rows_of(records, design, objective)
        rows["player"] = [name_of(label) for label in values_of(rows["player"])]
        found[objective] = rows
    return found


def print_means(found: dict[str, Columns], names: list[str]) -> None:
    """A row for each player, a column for each objective."""
    print(f"{'':<12}" + "".join(f"{objective:>32}" for objective in found))
    means = {objective: estimate(rows, ["player"], [VALUE]) for objective, rows in found.items()}
    for name in names:
        cells = [means[objective][name][VALUE] for objective in found]
        print(f"{name:<12}" + "".join(f"{with_interval(one):>32}" for one in cells))


def print_gaps(found: dict[str, Columns], names: list[str]) -> None:
    """How far the model that learned an objective is above every other by it, in the same matches."""
    for own, objective in [one for one in OBJECTIVES.items() if one[0] in names]:
        others = [name for name in names if name != own]
        pairs: list[tuple[Any, Any]] = [(own, other) for other in others]
        gaps = differences(found[objective], pairs, VALUE, over=population(found[objective]))
        print(f"{objective}: {own} less " + "; ".join(f"{pair[1]} {told(gap)}" for pair, gap in gaps.items()))


def with_interval(one: Interval) -> str:
    """A mean with its interval; without one where all settings have the same value."""
    return f"{one.mean:.3f}" + ("" if math.isnan(one.low) else f" ({one.low:.3f} to {one.high:.3f})")


def told(gap: Difference) -> str:
    """A difference with its interval; a star where Holm's correction leaves it."""
    return f"{gap.mean:+.3f} ({gap.low:.3f} to {gap.high:.3f}){'*' * gap.distinct}"


def draw(found: dict[str, Columns], names: list[str]) -> None:
    """Fairness against efficiency, with intervals."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import PercentFormatter

    figure = Figure(figsize=(6, 4.2), dpi=150, layout="constrained")
    axes = figure.subplots()
    across, up = (estimate(found[one], ["player"], [VALUE]) for one in ("efficiency", "fairness"))
    for smaller, name in enumerate(names):  # so that none hides behind another
        x, y = across[name][VALUE], up[name][VALUE]
        ends = [[[x.mean - x.low], [x.high - x.mean]], [[y.mean - y.low], [y.high - y.mean]]]
        marker, label = "s" if name == START else "o", f"{name} ({x.mean:.0%}, {y.mean:.0%})"
        (point,) = axes.plot(x.mean, y.mean, marker, markersize=12 - 1.4 * smaller, label=label)
        axes.errorbar(x.mean, y.mean, ends[1], ends[0], color=point.get_color(), alpha=0.35, linewidth=1)
    axes.set(xlabel="efficiency", ylabel="fairness")
    axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, loc="lower left")
    figure.savefig(PICTURE)


def main() -> None:
    """Reads, prints and draws."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python docs/make_objective_switch.py FOLDER")
    folder = Path(sys.argv[1])
    design = read_design(folder)
    if design is None:
        raise SystemExit(f"{folder} has no matches of econzoo evaluate")
    found = tables(read_folder(folder)[0], design)
    models = [name_of(spec) for spec in design.players if ":" in spec]
    print_means(found, models)
    print_gaps(found, models)
    draw(found, models)


if __name__ == "__main__":
    main()
