"""Results and caveats of regressions, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from econzoo.envs.core import format_count
from econzoo.evaluate.analyses.regression.design import Column
from econzoo.evaluate.analyses.regression.features import PAIR
from econzoo.evaluate.analyses.regression.metagame import MetaGame
from econzoo.evaluate.analyses.regression.observations import CLIPPED_METRICS, Observations, format_column
from econzoo.evaluate.analyses.regression.regression import MIN_FREEDOM, ROUGH_MARK, SEEDS, SEEDS_MARK, Fit
from econzoo.evaluate.run import no_gains_sentence
from econzoo.evaluate.show import sanitize_text
from econzoo.evaluate.stats import MIN_CLUSTERS

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.pairs import Heat

MAX_COLUMNS = 12
"""Maximum number of columns named in a sentence."""

MAX_PAIRS = 6
"""Maximum number of pairs named in a sentence."""


def data_notes(observations: Observations) -> list[str]:
    """Return notes on the sample: size, clipped and undefined values, repeats, early endings."""
    table = observations.table
    count = len(table)
    configurations = table["configuration"].nunique()
    notes = [f"{format_count(count, 'match')} in {format_count(configurations, 'configuration')}."]
    shares = [
        f"{metric} {observations.clipped_shares[metric]:.2%}"
        for metric in CLIPPED_METRICS
        if observations.clipped_shares[metric]
    ]
    notes.append(
        f"Values clipped to [0, 1]: {', '.join(shares)}."
        if shares
        else "All values of fairness and efficiency are in [0, 1]."
    )
    undefined = [
        f"{format_column(metric)} in {format_count(n, 'match')}"
        for metric, n in observations.missing_counts.items()
        if n
    ]
    notes.append(f"Undefined and excluded: {', '.join(undefined)}." if undefined else "No metric is undefined.")
    if observations.repeats:
        notes.append(f"Duplicate records excluded (same match id): {observations.repeats:,}.")
    early = {status: n for status, n in observations.status_counts.items() if status != "finished"}
    if early:
        parts = ", ".join(f"{n:,} {status}" for status, n in early.items())
        notes.append(f"Included with their final metrics: {parts}.")
    return [*notes, observations.no_result_note] if observations.no_result_note else notes


def warnings_of(observations: Observations, fits: Sequence[Fit], heats: Sequence[Heat] = ()) -> list[str]:
    """Return caveats of the regressions of a family; those of some metrics only name the metrics."""
    # Metrics mostly share their design, so one sentence for all of them says the same as one for each.
    metrics_of: dict[str, list[str]] = {}
    for one in fits:
        for sentence in _fit_warnings(one):
            metrics_of.setdefault(sentence, []).append(one.metric)
    found = [
        s if len(metrics) == len(fits) else f"{s} ({', '.join(map(format_column, metrics))})"
        for s, metrics in metrics_of.items()
    ]
    # Each of these is put before the others: a reader is to know of them before any sentence on effects.
    if observations.conflicting_repeats:
        found.insert(
            0,
            f"{format_count(observations.conflicting_repeats, 'duplicate record')} (same match id) with different "
            "moves or results than the first, which counts. Check that match ids are unique.",
        )
    if note := _no_gains_note(observations):
        found.insert(0, note)
    if len(observations.definitions) > 1:
        found.insert(0, f"Definitions of the metrics are mixed: {', '.join(observations.definitions)}.")
    if any(not one.is_adjusted for one in heats):
        found.append("Pairs and parameters are confounded: heat maps show unadjusted differences of means.")
    return found


def _no_gains_note(observations: Observations) -> str:
    """A note on negotiation settings without gains from trade."""
    values = ["seller_value", "buyer_value"]
    if not set(values) <= set(observations.parameters):
        return ""
    settings = observations.table.drop_duplicates("configuration")
    seller, buyer = (pd.to_numeric(settings[name], errors="coerce") for name in values)
    return no_gains_sentence(int((buyer <= seller).sum()), len(settings))


def _fit_warnings(one: Fit) -> Iterable[str]:
    design = one.design
    if design.constant_features:
        yield (
            "Constant in all matches, so no effect is estimated: "
            + "; ".join(f"{format_column(name)}: {value}" for name, value in design.constant_features.items())
            + "."
        )
    for name, baseline in design.missing_baselines.items():
        yield f"No effects of {format_column(name)}: no match of its baseline {baseline} has a value."
    for name, (wanted, taken) in design.replaced_baselines.items():
        yield f"Baseline of {format_column(name)} {wanted} is not in the data; using the most frequent level, {taken}."
    # Without its baseline a feature is collinear with the constant, which the sentence above says already.
    collinear = [
        group
        for group in design.dependent_groups
        if not all(column.feature in design.missing_baselines for column in group)
    ]
    if collinear:
        unidentified = {column for group in collinear for column in group}
        yield (
            f"Not identified: {format_count(len(unidentified), 'effect')}, because the design is collinear. "
            + " ".join(f"Collinear: {join_columns(group)}." for group in collinear[:3])
            + (f" And {format_count(len(collinear) - 3, 'such group')} more." if len(collinear) > 3 else "")
        )
    if one.freedom < 1:
        yield f"No intervals: at least as many effects as matches ({one.n:,})."
    yield from _cluster_warnings(one)


def _cluster_warnings(one: Fit) -> Iterable[str]:
    if one.freedom < 1:
        return
    few = one.clusters < MIN_CLUSTERS
    if few:
        yield f"Intervals are over seeds: {format_count(one.clusters, 'configuration')} are too few to generalize."
    elif not one.two_way and one.pairs > 1 and not any(column.feature == PAIR for column in one.design.columns):
        yield f"Intervals treat the {one.pairs} player pairs as fixed: fewer than {MIN_CLUSTERS} do not generalize."
    affected = {
        f"Over seeds ({SEEDS_MARK}), because of few configurations or pairs": [
            e for e in one.effects if e.over == SEEDS and not few
        ],
        f"Approximate ({ROUGH_MARK}), with fewer than {MIN_FREEDOM:g} degrees of freedom": [
            e for e in one.effects if e.is_weak
        ],
        "No interval, because of no variation or too few clusters": [
            e for e in one.effects if not e.over and not math.isnan(e.effect)
        ],
    }
    for sentence, effects in affected.items():
        if effects:
            names = ", ".join(dict.fromkeys(format_column(effect.parameter) for effect in effects))
            yield f"{sentence}: {format_count(len(effects), 'effect')} of {names}."


def join_columns(columns: Sequence[Column]) -> str:
    """Join at most `MAX_COLUMNS` columns."""
    rest = len(columns) - MAX_COLUMNS
    return "; ".join(map(str, columns[:MAX_COLUMNS])) + (f" and {rest} more" if rest > 0 else "")


def meta_sentences(meta: MetaGame) -> list[str]:
    """Return the size and equilibria of the meta-game."""
    size = f"{len(meta.rows)} by {len(meta.columns)}"
    if meta.missing_pairs:
        pairs = ", ".join(f"{sanitize_text(a)} with {sanitize_text(b)}" for a, b in meta.missing_pairs[:MAX_PAIRS])
        more = (
            f" and {format_count(len(meta.missing_pairs) - MAX_PAIRS, 'other')}"
            if len(meta.missing_pairs) > MAX_PAIRS
            else ""
        )
        return [f"No meta-game ({size}): some pairs have no matches: {pairs}{more}."]
    pure = sum(one.is_pure for one in meta.equilibria)
    mixed = len(meta.equilibria) - pure
    notes = [f"The meta-game ({size}) has {_count(pure, 'pure')} and {_count(mixed, 'mixed')}."]
    if meta.searched_size is not None:
        notes.append(
            "It is too large for an exhaustive search: equilibria that mix over more than "
            f"{meta.searched_size} players per side, or over unequal numbers, may be missing."
        )
    if meta.is_degenerate:
        notes.append(
            "Some best responses are tied: there may be a continuum of equilibria, of which vertices are listed."
        )
    if meta.has_unequal_settings:
        notes.append("Pairs are unbalanced over configurations, so gains partly compare different settings.")
    if any(one.is_clear is not None for one in meta.equilibria):
        notes.append(
            f"Clear: every deviation gains significantly less (Holm's correction); intervals {meta.population_note}."
        )
    return notes


def _count(number: int, kind: str) -> str:
    return f"{number or 'no'} {kind} Nash {'equilibrium' if number == 1 else 'equilibria'}"
