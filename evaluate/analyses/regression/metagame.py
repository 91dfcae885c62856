"""Meta-game (empirical game): each side chooses a player and receives its mean gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from pandas import DataFrame, crosstab

from econzoo.evaluate.analyses.regression.design import sort_levels
from econzoo.evaluate.analyses.regression.equilibria import TOLERANCE, Profile, equilibria
from econzoo.evaluate.analyses.regression.observations import Observations
from econzoo.evaluate.stats import Columns, clusters_of, describe_population, holm, interval_ends, population, precision


class Equilibrium(NamedTuple):
    """An equilibrium of the meta-game.

    Attributes:
        first: Player to positive probability, on the first side.
        gains: Expected self-gains of both sides.
        is_clear: Whether every deviation gains significantly less (Holm 1979); None if the equilibrium is mixed, or a
            difference has no interval.
    """

    first: dict[str, float]
    second: dict[str, float]
    gains: tuple[float, float]
    is_pure: bool
    is_clear: bool | None


@dataclass(frozen=True)
class MetaGame:
    """A two-player meta-game over players.

    Attributes:
        columns: Players of the second seat.
        first: Mean self-gains of the first seat, of shape (rows, columns); NaN for pairs without matches.
        second: Mean self-gains of the second seat.
        missing_pairs: Pairs without matches; if any, no equilibria are computed.
    """

    family: str
    rows: list[str]
    columns: list[str]
    first: np.ndarray
    second: np.ndarray
    missing_pairs: list[tuple[str, str]] = field(default_factory=list)
    equilibria: list[Equilibrium] = field(default_factory=list)
    searched_size: int | None = None
    is_degenerate: bool = False
    population_note: str = ""
    has_unequal_settings: bool = False


class _Sums(NamedTuple):
    """Sums over matches by cluster.

    Attributes:
        gains: Sums of gains of both seats, of shape (2, clusters, m, n).
        counts: Numbers of matches, of shape (clusters, m, n).
        strata: Sampling stratum of every cluster, of shape (clusters,).
    """

    gains: np.ndarray
    counts: np.ndarray
    strata: np.ndarray

    @property
    def means(self) -> np.ndarray:
        """Mean gains of both seats, of shape (2, m, n); NaN for pairs without matches."""
        counts = self.counts.sum(axis=0)
        return np.divide(self.gains.sum(axis=1), counts, out=np.full(self.gains[:, 0].shape, np.nan), where=counts > 0)

    @property
    def influence(self) -> np.ndarray:
        """Contributions of clusters to the means, of shape (2, clusters, m, n)."""
        deviations = self.gains - self.means[:, None] * self.counts
        return np.asarray(deviations / self.counts.sum(axis=0))


def meta_game(observations: Observations) -> MetaGame | None:
    """Build the meta-game of a family; None unless it has two seats."""
    if len(observations.seats) != 2:
        return None
    gains = list(observations.gains)
    # Both gains of a match or neither, so that the two matrices are means over the same matches.
    table = observations.table[observations.table[gains].notna().all(axis=1)]
    if table.empty:
        return None
    names = [sort_levels(set(table[seat])) for seat in observations.seats]
    sampled = Columns({"setting": table["configuration"].to_numpy(), "cluster": table["seed"].to_numpy()})
    over, settings = population(sampled), table["configuration"].nunique()
    sums = _sums(observations, table, names, *clusters_of(sampled, over))
    first, second = sums.means
    empty = [(names[0][i], names[1][j]) for i, j in zip(*np.nonzero(np.isnan(first)), strict=True)]
    game = MetaGame(
        observations.family,
        names[0],
        names[1],
        first,
        second,
        empty,
        has_unequal_settings=_has_unequal_settings(table, observations.seats),
    )
    if empty:  # any strategy with an unknown gain may be the best response
        return game
    found = equilibria(first, second)
    return replace(
        game,
        equilibria=[_name_equilibrium(profile, names, sums) for profile in found.profiles],
        searched_size=found.searched_size,
        is_degenerate=found.is_degenerate,
        population_note=describe_population(settings, over),
    )


def _has_unequal_settings(table: DataFrame, seats: Sequence[str]) -> bool:
    """Whether pairs are distributed differently over configurations."""
    # Pairs need not have equally many matches, but the same shares of configurations.
    shares = crosstab(table["configuration"], [table[seat] for seat in seats], normalize="columns").to_numpy()
    return not np.allclose(shares, shares[:, :1])


def _sums(
    observations: Observations,
    table: DataFrame,
    names: Sequence[list[str]],
    clusters: np.ndarray,
    strata: np.ndarray,
) -> _Sums:
    places = [
        table[s].map({n: i for i, n in enumerate(side)}) for s, side in zip(observations.seats, names, strict=True)
    ]
    at = (clusters, *(place.to_numpy(int) for place in places))
    shape = (len(strata), len(names[0]), len(names[1]))
    counts, gains = np.zeros(shape), np.zeros((2, *shape))
    # `add.at` adds every match; an indexed `+=` would add one per cell.
    np.add.at(counts, at, 1.0)
    for seat, column in enumerate(observations.gains):
        np.add.at(gains[seat], at, table[column].to_numpy(float))
    return _Sums(gains, counts, strata)


def _is_clear(profile: Profile, sums: _Sums) -> bool | None:
    """See `Equilibrium.is_clear`."""
    if not profile.is_pure:
        return None
    (row,), (column,) = profile.support
    means, influence = sums.means, sums.influence
    sides = (means[0, :, column], influence[0, :, :, column], row), (means[1, row], influence[1, :, row], column)
    # Differences of influences by cluster: what a seed or configuration does to both players cancels.
    gaps = np.concatenate([values[chosen] - np.delete(values, chosen) for values, _, chosen in sides])
    parts = [added[:, [chosen]] - np.delete(added, chosen, axis=1) for _, added, chosen in sides]
    if (gaps < TOLERANCE).any():  # a tied deviation gains as much, whatever the intervals
        return False
    found = precision(np.hstack(parts), sums.strata)
    if not len(gaps) or np.isnan(interval_ends(gaps, found)).any():
        return None
    return bool(holm(gaps, found).all())


def _name_equilibrium(profile: Profile, names: Sequence[list[str]], sums: _Sums) -> Equilibrium:
    sides = [{names[side][i]: float(profile[side][i]) for i in profile.support[side]} for side in (0, 1)]
    gains = tuple(float(profile.first @ matrix @ profile.second) for matrix in sums.means)
    return Equilibrium(sides[0], sides[1], (gains[0], gains[1]), profile.is_pure, _is_clear(profile, sums))
