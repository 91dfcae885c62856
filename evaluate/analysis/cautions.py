"""What a reader must know before believing the numbers, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from econzoo.envs.core.plurals import many
from econzoo.evaluate.analysis.design import Column
from econzoo.evaluate.analysis.observations import CLIPPED, Observations
from econzoo.evaluate.analysis.pairs import Heat
from econzoo.evaluate.analysis.regression import FEW, Fit

SHOWN = 12
"""Columns that one sentence names."""


def data_notes(observations: Observations) -> list[str]:
    """What was clipped, dropped and counted."""
    table = observations.table
    count = len(table)
    configurations = table["configuration"].nunique()
    said = [f"{many(count, 'match')} in {many(configurations, 'configuration')}."]
    shares = [f"{metric} {observations.clipped[metric]:.2%}" for metric in CLIPPED if observations.clipped[metric]]
    said.append(
        "Values outside [0, 1] that were clipped: " + ", ".join(shares) + "."
        if shares
        else "No value of fairness or efficiency was outside [0, 1]."
    )
    gone = [f"{metric} in {many(n, 'match')}" for metric, n in observations.missing.items() if n]
    said.append(
        "Not defined, so left out of that metric: " + ", ".join(gone) + "." if gone else "No metric was undefined."
    )
    if observations.repeats:
        said.append(f"Left out as repeats of a match that is there already (same id): {observations.repeats:,}.")
    early = {status: n for status, n in observations.ended.items() if status != "finished"}
    if early:
        parts = ", ".join(f"{n:,} {status}" for status, n in early.items())
        said.append(f"Counted with the metrics they ended with: {parts}.")
    return said


def warnings_of(observations: Observations, fits: Sequence[Fit], heats: Sequence[Heat] = ()) -> list[str]:
    """What weakens the regressions of a family; a sentence that holds for some metrics only names them."""
    said: dict[str, list[str]] = {}
    for one in fits:
        for sentence in _of_fit(one):
            said.setdefault(sentence, []).append(one.metric)
    found = [s if len(metrics) == len(fits) else f"{s} ({', '.join(metrics)})" for s, metrics in said.items()]
    if observations.unlike:
        found.insert(
            0,
            f"{many(observations.unlike, 'record')} of a match that is there already (same id) told of other moves or "
            "results than the first; the first one counts. Were they written by something that gives all one id?",
        )
    if len(observations.definitions) > 1:
        found.insert(0, f"Definitions of the metrics are mixed: {', '.join(observations.definitions)}.")
    if any(not one.adjusted for one in heats):
        found.append("Pairs cannot be told apart from parameters: their heat maps show differences of plain means.")
    return found


def _of_fit(one: Fit) -> Iterable[str]:
    made = one.design
    if made.constant:
        yield (
            "The same in all matches, so without effect: "
            + "; ".join(f"{name} {value}" for name, value in made.constant.items())
            + "."
        )
    for name, baseline in made.unmeasured.items():
        yield f"No match of the baseline {name} {baseline} has a value here, so {name} has no effects."
    for name, (wanted, taken) in made.replaced.items():
        yield f"Baseline {name} {wanted} is not in the data: the most frequent level {taken} takes its place."
    alike = [group for group in made.alike if not all(column.feature in made.unmeasured for column in group)]
    if alike:
        confused = {column for group in alike for column in group}
        yield (
            f"Not identified: {many(len(confused), 'effect')}, since the design is collinear. "
            + " ".join(f"Together only: {named(group)}." for group in alike[:3])
            + (f" And {many(len(alike) - 3, 'such group')} more." if len(alike) > 3 else "")
        )
    if one.freedom < 1:
        yield f"At least as many effects as matches ({one.n:,}): no intervals."
    yield from _of_clusters(one)


def _of_clusters(one: Fit) -> Iterable[str]:
    if one.clusters == 1:
        yield "One configuration only: no cluster-robust intervals."
    elif one.clusters < FEW:
        yield f"Only {one.clusters} configurations: cluster-robust intervals are too short with fewer than about {FEW}."
    made = one.design
    single = [column for column in made.columns if column.clusters < 2 and column.feature not in made.unmeasured]
    if single and one.clusters > 1:
        names = ", ".join(sorted({column.feature for column in single}))
        yield f"No cluster-robust interval where a level stands in one configuration only: {names}."

    still = sum(math.isnan(e.ci_low_clustered) and not math.isnan(e.ci_low) for e in one.effects)
    still -= sum(column not in made.confused for column in single)
    if still > 0 and one.clusters > 1 and one.freedom > 0:
        yield f"No cluster-robust interval for {many(still, 'effect')}: no variation between configurations is left."


def named(columns: Sequence[Column]) -> str:
    """Some columns, not too many."""
    rest = len(columns) - SHOWN
    return "; ".join(map(str, columns[:SHOWN])) + (f" and {rest} more" if rest > 0 else "")
