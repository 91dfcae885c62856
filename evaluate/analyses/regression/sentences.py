"""What was found, and what a reader must know before believing it, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.short_forms import elide
from econzoo.evaluate.analyses.regression.design import Column
from econzoo.evaluate.analyses.regression.features import PAIR
from econzoo.evaluate.analyses.regression.metagame import MetaGame
from econzoo.evaluate.analyses.regression.observations import CLIPPED_METRICS, Observations, format_column
from econzoo.evaluate.analyses.regression.regression import MIN_FREEDOM, POINT, ROUGH_MARK, SEEDS, SEEDS_MARK, Fit
from econzoo.evaluate.run.gains_from_trade import no_gains_sentence
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.parts import write_number
from econzoo.evaluate.stats.intervals import MIN_CLUSTERS

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.regression.pairs import Heat
    from econzoo.evaluate.analyses.regression.study import FamilyStudy, FeatureEffects

MAX_COLUMNS = 12
"""Columns that one sentence names."""

MAX_LEVEL_LENGTH = 60
"""Characters of a level in a sentence."""

MAX_PAIRS = 6
"""Pairs that one sentence names."""


def data_notes(observations: Observations) -> list[str]:
    """What was clipped, dropped and counted."""
    table = observations.table
    count = len(table)
    configurations = table["configuration"].nunique()
    said = [f"{format_count(count, 'match')} in {format_count(configurations, 'configuration')}."]
    shares = [
        f"{metric} {observations.clipped_shares[metric]:.2%}"
        for metric in CLIPPED_METRICS
        if observations.clipped_shares[metric]
    ]
    said.append(
        "Values outside [0, 1] that were clipped: " + ", ".join(shares) + "."
        if shares
        else "No value of fairness or efficiency was outside [0, 1]."
    )
    gone = [f"{metric} in {format_count(n, 'match')}" for metric, n in observations.missing_counts.items() if n]
    said.append(
        "Not defined, so left out of that metric: " + ", ".join(gone) + "." if gone else "No metric was undefined."
    )
    if observations.repeats:
        said.append(f"Left out as repeats of a match that is there already (same id): {observations.repeats:,}.")
    early = {status: n for status, n in observations.status_counts.items() if status != "finished"}
    if early:
        parts = ", ".join(f"{n:,} {status}" for status, n in early.items())
        said.append(f"Counted with the metrics they ended with: {parts}.")
    return [*said, observations.no_result_note] if observations.no_result_note else said


def warnings_of(observations: Observations, fits: Sequence[Fit], heats: Sequence[Heat] = ()) -> list[str]:
    """What weakens the regressions of a family; a sentence that holds for some metrics only names them."""
    said: dict[str, list[str]] = {}
    for one in fits:
        for sentence in _fit_warnings(one):
            said.setdefault(sentence, []).append(one.metric)
    found = [s if len(metrics) == len(fits) else f"{s} ({', '.join(metrics)})" for s, metrics in said.items()]
    if observations.conflicting_repeats:
        found.insert(
            0,
            f"{format_count(observations.conflicting_repeats, 'record')} of a match that is there "
            "already (same id) told of other moves or "
            "results than the first; the first one counts. Were they written by something that gives all one id?",
        )
    if idle := _no_gains_note(observations):
        found.insert(0, idle)
    if len(observations.definitions) > 1:
        found.insert(0, f"Definitions of the metrics are mixed: {', '.join(observations.definitions)}.")
    if any(not one.is_adjusted for one in heats):
        found.append("Pairs cannot be told apart from parameters: their heat maps show differences of plain means.")
    return found


def _no_gains_note(observations: Observations) -> str:
    """How many of the markets of negotiation leave no gains from trade."""
    values = ["seller_value", "buyer_value"]
    if not set(values) <= set(observations.parameters):
        return ""
    markets = observations.table.drop_duplicates("configuration")
    seller, buyer = (pd.to_numeric(markets[name], errors="coerce") for name in values)
    return no_gains_sentence(int((buyer <= seller).sum()), len(markets))


def _fit_warnings(one: Fit) -> Iterable[str]:
    made = one.design
    if made.constant_features:
        yield (
            "The same in all matches, so without effect: "
            + "; ".join(f"{name} {value}" for name, value in made.constant_features.items())
            + "."
        )
    for name, baseline in made.missing_baselines.items():
        yield f"No match of the baseline {name} {baseline} has a value here, so {name} has no effects."
    for name, (wanted, taken) in made.replaced_baselines.items():
        yield f"Baseline {name} {wanted} is not in the data: the most frequent level {taken} takes its place."
    alike = [
        group
        for group in made.dependent_groups
        if not all(column.feature in made.missing_baselines for column in group)
    ]
    if alike:
        confused = {column for group in alike for column in group}
        yield (
            f"Not identified: {format_count(len(confused), 'effect')}, since the design is collinear. "
            + " ".join(f"Together only: {join_columns(group)}." for group in alike[:3])
            + (f" And {format_count(len(alike) - 3, 'such group')} more." if len(alike) > 3 else "")
        )
    if one.freedom < 1:
        yield f"At least as many effects as matches ({one.n:,}): no intervals."
    yield from _cluster_warnings(one)


def _cluster_warnings(one: Fit) -> Iterable[str]:
    if one.freedom < 1:
        return
    few = one.clusters < MIN_CLUSTERS
    if few:
        yield f"Intervals are over seeds: {format_count(one.clusters, 'configuration')} cannot speak of others."
    elif not one.two_way and one.pairs > 1 and not any(column.feature == PAIR for column in one.design.columns):
        yield f"Intervals are for these {one.pairs} pairs of players: fewer than {MIN_CLUSTERS} cannot speak of others."
    told = {
        f"Over seeds ({SEEDS_MARK}), since few configurations or pairs can tell": [
            e for e in one.effects if e.over == SEEDS and not few
        ],
        f"Rough ({ROUGH_MARK}), with fewer than {MIN_FREEDOM:g} degrees of freedom": [
            e for e in one.effects if e.is_weak
        ],
        "No interval, since nothing varies or there are too few clusters": [
            e for e in one.effects if not e.over and not math.isnan(e.effect)
        ],
    }
    for sentence, effects in told.items():
        if effects:
            names = ", ".join(dict.fromkeys(effect.parameter for effect in effects))
            yield f"{sentence}: {format_count(len(effects), 'effect')} of {names}."


def join_columns(columns: Sequence[Column]) -> str:
    """Some columns, not too many."""
    rest = len(columns) - MAX_COLUMNS
    return "; ".join(map(str, columns[:MAX_COLUMNS])) + (f" and {rest} more" if rest > 0 else "")


def largest_effects(family: FamilyStudy) -> str:
    """What a reader should know first: the size of the data, and the largest clear effects."""
    table, seats = family.observations.table, family.observations.seats
    count = len({name for seat in seats for name in table[seat]})
    text = (
        f"{format_column(family.name).capitalize()}: {format_count(len(table), 'match')} of "
        f"{format_count(count, 'player')} "
        f"in {format_count(table['configuration'].nunique(), 'configuration')}."
    )
    largest = [
        _largest_effect(family.groups(players=False), "parameter"),
        _largest_effect(family.groups(players=True), "player"),
    ]
    return " ".join(filter(None, [text, *largest]))


def _largest_effect(groups: Sequence[FeatureEffects], kind: str) -> str:
    """The largest effect that differs from 0, all effects of its metric counted."""
    effects = [e for group in groups for row in group.rows.values() for e in row.values() if not math.isnan(e.effect)]
    if not effects:
        return ""
    sure = [effect for effect in effects if effect.clear]
    if not sure:
        return f"No effect of a {kind} is clear of 0."
    most = max(sure, key=lambda effect: abs(effect.effect))
    change = write_number(POINT, most.effect)
    return (
        f"Largest clear effect of a {kind}: {format_column(most.parameter)} = "
        f"{elide(most.value, MAX_LEVEL_LENGTH)} against "
        f"{elide(most.baseline, MAX_LEVEL_LENGTH)}, {change} points of {format_column(most.metric)}."
    )


def meta_sentences(meta: MetaGame) -> list[str]:
    """What the meta-game is and what was found."""
    size = f"{len(meta.rows)} by {len(meta.columns)}"
    if meta.missing_pairs:
        pairs = ", ".join(f"{sanitize_text(a)} with {sanitize_text(b)}" for a, b in meta.missing_pairs[:MAX_PAIRS])
        more = (
            f" and {format_count(len(meta.missing_pairs) - MAX_PAIRS, 'other')}"
            if len(meta.missing_pairs) > MAX_PAIRS
            else ""
        )
        return [f"No game of choosing players ({size}): some pairs never met: {pairs}{more}."]
    pure = sum(one.is_pure for one in meta.equilibria)
    mixed = len(meta.equilibria) - pure
    said = [f"The game of choosing players ({size}) has {_count(pure, 'pure')} and {_count(mixed, 'mixed')}."]
    if meta.searched_size is not None:
        said.append(
            "It is too large for a full search: there may be more equilibria that mix over more than "
            f"{meta.searched_size} players a side, or over unequal numbers."
        )
    if meta.is_degenerate:
        said.append("Some best replies are tied, so there may be a continuum of equilibria; its corners are listed.")
    if meta.has_unequal_settings:
        said.append("Pairs did not meet equally often in every configuration, so gains partly compare unlike settings.")
    if any(one.is_clear is not None for one in meta.equilibria):
        said.append(
            f"Clear: whoever else is sent gains less, all of them counted (Holm); intervals {meta.population_note}."
        )
    return said


def _count(number: int, kind: str) -> str:
    return f"{number or 'no'} {kind} Nash {'equilibrium' if number == 1 else 'equilibria'}"
