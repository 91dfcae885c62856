"""The maps of GLEE beside records: replicated pairs, and rows and columns of new players.

A map shows deviations from the mean of all pairs, which depends on the players. So our maps are shifted by a constant
such that the mean over shared pairs of the paper's models is equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.analyses.glee.maps import GAINS, METRICS, ROLES, Map, place_of, printed_map, pure_pairs
from econzoo.evaluate.analyses.paper_numbers import Comparison, OwnNumber, Paper
from econzoo.evaluate.analyses.regression.equilibria import Equilibria, equilibria
from econzoo.evaluate.analyses.regression.study import FamilyStudy
from econzoo.evaluate.formats.glee.answers import PERSON
from econzoo.evaluate.stats.columns import Columns
from econzoo.evaluate.stats.estimates import estimate
from econzoo.evaluate.stats.intervals import Interval

Pair = tuple[str, str]


class RecordMap(NamedTuple):
    """A map by records.

    Attributes:
        metric: Column of observations.
        cells: Pair of Alice and Bob to the value, shifted to the paper's level, and the number of games.
        shared_pairs: Number of shared pairs that determine the shift; 0: not shifted.
    """

    metric: str
    cells: dict[Pair, tuple[float, int]]
    shared_pairs: int


class Choice(NamedTuple):
    """The player-choice game, with new players.

    Attributes:
        names: Players that can be chosen for either seat.
        excluded_names: New players and models without matches against all others.
        equilibria: Nash equilibria.
        gains: Gains of both seats, each of shape (names, names).
    """

    names: list[str]
    excluded_names: list[str]
    equilibria: Equilibria
    gains: tuple[np.ndarray, np.ndarray]


def build_record_maps(paper: Paper, family: FamilyStudy) -> list[RecordMap]:
    """Build the maps of a family from its records, excluding people, who play one model only."""
    made = []
    for heat in sorted(family.heats, key=lambda one: list(METRICS).index(one.metric)):
        printed = pairs_of(printed_map(paper, family.name, heat.metric))
        known = {pair: (cell.effect, cell.n) for pair, cell in heat.cells.items() if PERSON not in pair}
        shared = [pair for pair in known if pair in printed]
        level = float(np.mean([printed[pair] - known[pair][0] for pair in shared])) if shared else 0.0
        cells = {pair: (value + level, n) for pair, (value, n) in known.items()}
        made.append(RecordMap(heat.metric, cells, len(shared)))
    return made


def pairs_of(found: Map) -> dict[Pair, float]:
    """Return the cells of a map by pair."""
    names = list(enumerate(found.names))
    return {(one, other): float(found.values[i, j]) for i, one in names for j, other in names}


def new_players(paper: Paper, family: FamilyStudy) -> list[str]:
    """Return the players that are not models of the paper, in order of appearance."""
    known = {*printed_map(paper, family.name, GAINS[0]).names, PERSON}
    names = (str(name) for seat in family.observations.seats for name in family.observations.table[seat])
    return [name for name in dict.fromkeys(names) if name not in known]


def compare_maps(paper: Paper, family: FamilyStudy, maps: Sequence[RecordMap]) -> Iterator[Comparison]:
    """Compare printed cells with those of the same pairs in records, if any."""
    means = pair_gains(family, [*maps[0].cells]) if maps else {}
    for one in maps:
        key = place_of(family.name, one.metric)
        cells = paper.places[key].cells
        own = [
            OwnNumber(
                *pair, *cell, _difference_note(float(cells[pair[0]][pair[1]]) - cell[0], means.get((pair, one.metric)))
            )
            for pair, cell in one.cells.items()
            if pair[1] in cells.get(pair[0], {})
        ]
        if own:
            level = f"Ours are shifted to the paper's mean over {format_count(one.shared_pairs, 'pair')}."
            yield Comparison(f"{key}-records", paper.places[key], own, "records", [level])


def _difference_note(gap: float, mean: Interval | None) -> str:
    """Whether a difference is within our interval."""
    if mean is None or math.isnan(mean.low):
        return "Too few games for an interval."
    half = max(mean.high - mean.mean, mean.mean - mean.low)
    return f"{'Within' if abs(gap) <= half else 'Beyond'} our 95% interval, ±{half:.3f}."


def extend_map(paper: Paper, family: str, own: RecordMap, names: Sequence[str]) -> np.ndarray:
    """Extend a printed map by rows and columns of new players; NaN for pairs without matches.

    Args:
        paper: The paper.
        family: Name of the game.
        own: The map from records.
        names: Names of rows and columns; pairs of two of the paper's models are as printed.
    """
    printed = pairs_of(printed_map(paper, family, own.metric))
    known = {**{pair: value for pair, (value, _) in own.cells.items()}, **printed}
    return np.array([[known.get((one, other), math.nan) for other in names] for one in names])


def choice(paper: Paper, family: FamilyStudy, maps: Sequence[RecordMap]) -> Choice | None:
    """Build the player-choice game with new players; None if there are none, or no shared pairs.

    Args:
        paper: The paper.
        family: Study of the records.
        maps: See `build_record_maps`.
    """
    own = new_players(paper, family)
    gains = {one.metric: one for one in maps if one.metric in GAINS and one.shared_pairs}
    if not own or len(gains) < len(GAINS):
        return None
    models = printed_map(paper, family.name, GAINS[0]).names
    first, second = (extend_map(paper, family.name, gains[metric], [*models, *own]) for metric in GAINS)
    met = np.isfinite(first) & np.isfinite(second)
    both = met & met.T
    count = len(models)
    kept = [at for at in range(count, len(both)) if both[at, at] and both[at, :count].any()]
    kept = [at for at in kept if both[at, kept].all()]
    seen = [at for at in range(count) if both[at, kept].all()] if kept else []
    if not seen:
        return None
    inner, everybody = [*seen, *kept], [*models, *own]
    cut = first[np.ix_(inner, inner)], second[np.ix_(inner, inner)]
    left_out = [name for at, name in enumerate(everybody) if at not in inner]
    return Choice([everybody[at] for at in inner], left_out, equilibria(*cut), cut)


def displaced_models(made: Choice, before: Sequence[Pair]) -> list[str]:
    """Return the models, with seats, that are in pure equilibria only without the new players."""
    now = set(pure_pairs(made.names, made.equilibria))
    return [
        f"{name} as {ROLES[seat]}"
        for seat in (0, 1)
        for name in dict.fromkeys(pair[seat] for pair in before)
        if name not in {pair[seat] for pair in now}
    ]


def best_replies(made: Choice, models: Sequence[str], seat: int) -> list[str]:
    """Return the paper's models, in the other seat, against which a new player is the best response."""
    gains = made.gains[0] if seat == 0 else made.gains[1].T
    best = [made.names[int(column.argmax())] for column in gains.T]
    return [name for name, reply in zip(made.names, best, strict=True) if name in models and reply not in models]


def pair_gains(family: FamilyStudy, pairs: Sequence[Pair]) -> dict[tuple[Pair, str], Interval]:
    """Estimate means of every metric with intervals, for some pairs."""
    table, seats = family.observations.table, list(family.observations.seats)
    drawn = Columns(
        {
            "market": table["configuration"].to_numpy(),
            "cluster": table["seed"].to_numpy(),
            **{name: table[name].to_numpy() for name in (*seats, *METRICS)},
        }
    )
    found = estimate(drawn, seats, list(METRICS), signed=GAINS)
    return {(pair, metric): found[pair][metric] for pair in pairs if pair in found for metric in METRICS}
