"""Compares learners that learned one objective each.

    python docs/make_objective_switch.py runs/objectives/bargaining

The folder has matches of `econzoo evaluate` in which all of them met the same opponents in the same settings: language
models, or policies of several seeds, named by the folders in which they were trained. Prints a table of means, of
efficiency and fairness also over the matches that ended with a deal, and paired differences to each learner's own
objective, over all seeds and in each of them; of learners with other names the difference to `start` in self-gain.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from econzoo.envs.core.contract import SELF_GAIN
from econzoo.envs.core.record import Record
from econzoo.evaluate.analyses import columns
from econzoo.evaluate.run import Design, read_design, read_folder
from econzoo.evaluate.stats import Columns, Difference, Interval, differences, estimate, population, values_of

MIX = "0.7*self_gain + 0.3*fairness"
OBJECTIVES = {"self-gain": "self_gain", "efficiency": "efficiency", "fairness": "fairness"}
"""Last part of a model's folder to what it learned; ``mix`` is the fourth."""

START = "start"
"""Last part of the folder of the model that all begin with."""

VALUE = "value"

OF_A_DEAL = ("efficiency", "fairness")
"""What a match without a deal has too: none of the one, by the paper's definition all of the other."""

SEED = "seed-"


def name_of(label: str) -> tuple[str, str]:
    """The last part of a model's folder, or the name of a script; and the seed of a training of several."""
    *folders, last = label.partition("?")[0].removesuffix("/policy.zip").split("/")
    return (folders[-1], last) if last.startswith(SEED) else (last, "")


def tables(
    records: list[Record], design: Design, objectives: Mapping[str, str], seat: int | None
) -> dict[str, Columns]:
    """Objective to the value of each seat of every match, or of one, players by their short names."""
    found = {}
    for objective in objectives.values():
        rows = columns(records, design, [objective], theory=False)
        rows[VALUE] = rows[objective]
        rows = rows if seat is None else rows[rows["seat"] == seat]
        rows["player"], rows["training"] = zip(*map(name_of, values_of(rows["player"])), strict=True)
        found[objective] = rows
    return found


def with_deals(found: dict[str, Columns]) -> dict[str, Columns]:
    """The same, and objectives `OF_A_DEAL` over the matches that ended with one."""
    agreed = {f"{one}, deals": found[one][found[one]["agreed"] == 1] for one in OF_A_DEAL}
    return found | agreed


def by_seed(rows: Columns, pair: tuple[str, str]) -> str:
    """The difference of a training to another in each of its seeds: to the same seed, or to a model that has none."""
    values, players, seeds = (np.array(values_of(rows[name])) for name in (VALUE, "player", "training"))
    own, other = (players == who for who in pair)
    each = [
        np.nanmean(values[own & (seeds == seed)]) - np.nanmean(values[other & np.isin(seeds, (seed, ""))])
        for seed in sorted(set(seeds[own]) - {""})
        if (other & np.isin(seeds, (seed, ""))).any()
    ]
    return "; seeds " + ", ".join(f"{one:+.3f}" for one in each) if len(each) > 1 else ""


def print_means(found: dict[str, Columns], names: Sequence[str]) -> None:
    """A row for each player, a column for each objective."""
    print(f"{'':<12}" + "".join(f"{objective:>32}" for objective in found))
    means = {objective: estimate(rows, ["player"], [VALUE]) for objective, rows in found.items()}
    for name in names:
        cells = [means[objective].get(name) for objective in found]  # none without a deal
        print(f"{name:<12}" + "".join(f"{with_interval(one[VALUE]) if one else '-':>32}" for one in cells))


def print_gaps(found: dict[str, Columns], names: Sequence[str], objectives: Mapping[str, str]) -> None:
    """How far the model that learned an objective is above every other by it, in the same matches."""
    for own, objective in [one for one in objectives.items() if one[0] in names]:
        others = [name for name in names if name != own]
        pairs: list[tuple[Any, Any]] = [(own, other) for other in others]
        gaps = differences(found[objective], pairs, VALUE, over=population(found[objective]))
        for pair, gap in gaps.items():
            print(f"{objective}: {own} less {pair[1]} {told(gap)}{by_seed(found[objective], pair)}")
    if START in names:
        rows, others = found[SELF_GAIN], [name for name in names if name not in (START, *objectives)]
        over = population(rows)
        for pair, gap in differences(rows, [(name, START) for name in others], VALUE, over=over).items():
            print(f"{SELF_GAIN}: {pair[0]} less {START} {told(gap)}{by_seed(rows, pair)}")


def with_interval(one: Interval) -> str:
    """A mean with its interval; without one where all settings have the same value."""
    return f"{one.mean:.3f}" + ("" if math.isnan(one.low) else f" ({one.low:.3f} to {one.high:.3f})")


def told(gap: Difference) -> str:
    """A difference with its interval; a star where Holm's correction leaves it."""
    return f"{gap.mean:+.3f} ({gap.low:.3f} to {gap.high:.3f}){'*' * gap.distinct}"


def main() -> None:
    """Reads and prints."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--mix", default=MIX)
    parser.add_argument("--seat", type=int, help="compare what is earned in this seat alone")
    asked = parser.parse_args()
    design = read_design(asked.folder)
    if design is None:
        raise SystemExit(f"{asked.folder} has no matches of econzoo evaluate")
    objectives = {**OBJECTIVES, "mix": asked.mix}
    found = tables(read_folder(asked.folder)[0], design, objectives, asked.seat)
    learners = [*dict.fromkeys(name_of(spec)[0] for spec in design.players if ":" in spec)]
    print_means(with_deals(found), [*dict.fromkeys(name_of(spec)[0] for spec in design.players)])
    print_gaps(found, learners, objectives)


if __name__ == "__main__":
    main()
