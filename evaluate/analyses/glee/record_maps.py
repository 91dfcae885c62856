"""The maps of GLEE beside records: replicated pairs, and rows and columns of new players.

A map shows deviations from the mean of all pairs, which depends on the players. So our maps are shifted by a constant
such that the mean over shared pairs of the paper's models is equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analyses import Comparison, OwnNumber, Paper, printed_number
from econzoo.evaluate.analyses.glee.maps import GAINS, METRICS, ROLES, Map, place_of, printed_map, pure_pairs
from econzoo.evaluate.analyses.regression import Equilibria, FamilyStudy, design, equilibria
from econzoo.evaluate.formats.glee import PERSON
from econzoo.evaluate.stats import MIN_CLUSTERS, Columns, Interval, Statistic, TooFewClusters, clusters_of, estimate
from econzoo.evaluate.stats import factorize, group_sums, jackknife, population

Pair = tuple[str, str]


class RecordMap(NamedTuple):
    """A map by records.

    Attributes:
        shared_pairs: Number of shared pairs that determine the shift; 0: not shifted.
    """

    metric: str
    cells: dict[Pair, tuple[float, int]]
    shared_pairs: int


class Choice(NamedTuple):
    """The player-choice game, with new players.

    Attributes:
        excluded_names: New players and models without matches against all others.
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
        # Without people a mean over all pairs is one over models, as in the printed maps.
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
    for one in maps:
        if not one.shared_pairs:
            continue
        place = paper.places[place_of(family.name, one.metric)]
        printed = pairs_of(printed_map(paper, family.name, one.metric))
        games = _games_per_pair(paper, family.name)
        own = []
        for pair, gap in map_gaps(family, one.metric, printed).items():
            value, count = one.cells[pair]
            # The interval of the difference, moved to our cell: the printed cell is a constant.
            found = gap._replace(mean=value, low=value + gap.low - gap.mean, high=value + gap.high - gap.mean)
            own.append(OwnNumber(*pair, found, count, printed_interval=_scale(printed[pair], gap, count / games)))
        # `fitted`: the common level is taken from the printed cells, which costs a degree of freedom.
        note = f"Printed cells have about {games:.0f} games each, and are taken to vary as ours do."
        yield Comparison(f"{place_of(family.name, one.metric)}-records", place, own, "records", [note], fitted=1)


def _games_per_pair(paper: Paper, family: str) -> float:
    """Games of Table 4 per cell of a map."""
    pairs = paper.places[place_of(family, GAINS[0])].size
    return printed_number(paper.places["table-4"].cells[family]["games"]) / pairs


def _scale(printed: float, gap: Interval, ratio: float) -> Interval:
    """A printed cell with the interval of ours in as many games as the paper has; ratio: our games over the paper's."""
    factor = math.sqrt(ratio)
    return Interval(printed, printed - factor * (gap.mean - gap.low), printed + factor * (gap.high - gap.mean), 0)


def map_gaps(family: FamilyStudy, metric: str, printed: Mapping[Pair, float]) -> dict[Pair, Interval]:
    """Estimate the differences from a printed map, less their mean over all shared pairs.

    The level is common, so the interval is that of a contrast: the jackknife leaves out settings or seeds, and repeats
    the regression of the map. A pair in fewer than `MIN_CLUSTERS` of them has no interval.
    """
    table = family.observations.table
    table = table[table[metric].notna()]
    pair, pairs = factorize(zip(*(map(str, table[seat]) for seat in family.observations.seats), strict=True))
    heat = next(one for one in family.heats if one.metric == metric)
    parameters = [one for one in family.features if not one.is_player] if heat.is_adjusted else []
    # Without the constant, which the pairs span.
    controls = design(parameters, [pair], family.observations.table[metric].notna()).matrix[:, 1:]
    effects = _pair_effects(pair, table[metric].to_numpy(float), controls)
    shared = [at for at, name in enumerate(pairs) if name in printed]
    numbers = np.array([printed[pairs[at]] for at in shared])

    def gaps(weights: np.ndarray) -> np.ndarray:
        apart = effects(weights)[:, shared] - numbers
        met = np.isfinite(apart)  # a pair may be in left-out clusters only
        return apart - np.nansum(apart, axis=1, keepdims=True) / np.maximum(met.sum(axis=1, keepdims=True), 1)

    drawn = Columns({"setting": table["configuration"].to_numpy(), "cluster": table["seed"].to_numpy()})
    clusters, _ = clusters_of(drawn, population(drawn))
    found = zip(*jackknife(gaps, drawn), strict=True)
    made = {}
    for at, (mean, low, high) in zip(shared, found, strict=True):
        own = len(set(clusters[pair == at].tolist()))
        kind = Interval if own >= MIN_CLUSTERS else TooFewClusters
        made[pairs[at]] = kind(float(mean), float(low), float(high), own)
    return made


def _pair_effects(pair: np.ndarray, values: np.ndarray, controls: np.ndarray) -> Statistic:
    """Coefficients of pairs in a regression on pairs and controls, by weights of rows; NaN for pairs without weight."""
    # Pairs are partialled out by sums within pairs (Frisch and Waugh 1933), which leaves a small system in the
    # controls: the jackknife solves it hundreds of times.
    products = (controls[:, :, None] * controls[:, None, :]).reshape(len(pair), -1)

    def effects(weights: np.ndarray) -> np.ndarray:
        totals, sums = group_sums(weights, pair), group_sums(weights * values, pair)
        if not controls.shape[1]:
            return np.divide(sums, totals, out=np.full_like(sums, np.nan), where=totals > 0)
        inside = np.stack([group_sums(weights * column, pair) for column in controls.T], axis=2)
        share = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
        matrix = (weights @ products).reshape(len(weights), *[controls.shape[1]] * 2)
        matrix = matrix - np.einsum("bg,bgk,bgl->bkl", share, inside, inside)
        right = (weights * values) @ controls - np.einsum("bg,bgk->bk", share * sums, inside)
        # A pseudoinverse, because without some clusters controls may be collinear.
        slopes = np.einsum("bkl,bl->bk", np.linalg.pinv(matrix, hermitian=True), right)
        apart = (sums - np.einsum("bgk,bk->bg", inside, slopes)) * share
        return np.where(totals > 0, apart, np.nan)

    return effects


def extend_map(paper: Paper, family: str, own: RecordMap, names: Sequence[str]) -> np.ndarray:
    """Extend a printed map by rows and columns of new players; NaN for pairs without matches."""
    printed = pairs_of(printed_map(paper, family, own.metric))
    known = {**{pair: value for pair, (value, _) in own.cells.items()}, **printed}
    return np.array([[known.get((one, other), math.nan) for other in names] for one in names])


def choice(paper: Paper, family: FamilyStudy, maps: Sequence[RecordMap]) -> Choice | None:
    """Build the player-choice game with new players; None if there are none, or no shared pairs."""
    own = new_players(paper, family)
    gains = {one.metric: one for one in maps if one.metric in GAINS and one.shared_pairs}
    if not own or len(gains) < len(GAINS):
        return None
    models = printed_map(paper, family.name, GAINS[0]).names
    first, second = (extend_map(paper, family.name, gains[metric], [*models, *own]) for metric in GAINS)
    met = np.isfinite(first) & np.isfinite(second)
    both = met & met.T
    count = len(models)
    # A game needs all pairs in both seats. New players stay if they met themselves, a model of the paper and each
    # other; then the models that all of these met.
    kept = [at for at in range(count, len(both)) if both[at, at] and both[at, :count].any()]
    kept = [at for at in kept if both[at, kept].all()]
    seen = [at for at in range(count) if both[at, kept].all()] if kept else []
    if not seen:
        return None
    inner, everybody = [*seen, *kept], [*models, *own]
    cut = first[np.ix_(inner, inner)], second[np.ix_(inner, inner)]
    left_out = [name for at, name in enumerate(everybody) if at not in inner]
    return Choice([everybody[at] for at in inner], left_out, equilibria(*cut), cut)


def displaced_models(made: Choice, printed: Sequence[Pair]) -> list[str]:
    """Return the models, with seats, that are in pure equilibria only without the new players."""
    own = set(pure_pairs(made.names, made.equilibria))
    return [
        f"{name} as {ROLES[seat]}"
        for seat in (0, 1)
        for name in dict.fromkeys(pair[seat] for pair in printed)
        if name not in {pair[seat] for pair in own}
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
            "setting": table["configuration"].to_numpy(),
            "cluster": table["seed"].to_numpy(),
            **{name: table[name].to_numpy() for name in (*seats, *METRICS)},
        }
    )
    # Self-gains may be negative, and are no proportions even where none is.
    found = estimate(drawn, seats, list(METRICS), signed=GAINS)
    return {(pair, metric): found[pair][metric] for pair in pairs if pair in found for metric in METRICS}
