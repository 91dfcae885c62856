"""The meta-game of choosing players: each side sends a player, and gains what that player gains on average."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from econzoo.evaluate.analysis.design import in_order
from econzoo.evaluate.analysis.equilibria import Profile, equilibria, stable, supported
from econzoo.evaluate.analysis.observations import Observations

RESAMPLES = 200
CHECKED = 12
"""Mixed equilibria whose survival is looked at; each takes linear programmes in every resample."""


class Equilibrium(NamedTuple):
    """An equilibrium of the meta-game.

    Attributes:
        first: Player to probability, on the first side; players that are not sent are left out.
        second: The same for the other side.
        gains: Expected self-gains of both sides.
        pure: Whether each side sends one player.
        survives: Share of the resamples with this equilibrium: a pure one itself, a mixed one in which the same
            players are sent. NaN with one configuration, or not looked at.
    """

    first: dict[str, float]
    second: dict[str, float]
    gains: tuple[float, float]
    pure: bool
    survives: float


@dataclass(frozen=True)
class MetaGame:
    """A meta-game.

    Attributes:
        family: Name of the game.
        rows: Players that can be sent to the first seat.
        columns: Players that can be sent to the second seat.
        first: Mean self-gains of the first seat, shape (rows, columns); NaN for a pair that never met.
        second: Mean self-gains of the second seat.
        empty: Pairs that never met: then there are no equilibria.
        equilibria: See `Equilibrium`.
        searched: See `econzoo.evaluate.analysis.equilibria.Equilibria`.
        degenerate: Likewise.
        resamples: How many resamples of configurations had a match of every pair.
        unequal: Whether pairs met in different configurations, or not equally often, so that gains compare unlike
            markets.
    """

    family: str
    rows: list[str]
    columns: list[str]
    first: np.ndarray
    second: np.ndarray
    empty: list[tuple[str, str]] = field(default_factory=list)
    equilibria: list[Equilibrium] = field(default_factory=list)
    searched: int | None = None
    degenerate: bool = False
    resamples: int = 0
    unequal: bool = False


class _Sums(NamedTuple):
    """Sums over matches by configuration: gains of both seats (2, clusters, m, n) and numbers (clusters, m, n)."""

    gains: np.ndarray
    counts: np.ndarray

    def means(self, weights: np.ndarray) -> np.ndarray:
        """Mean gains with each configuration taken `weights` times, shape (2, ..., m, n); NaN where there is none."""
        counts = np.tensordot(weights, self.counts, 1)
        gains = np.stack([np.tensordot(weights, one, 1) for one in self.gains])
        return np.divide(gains, counts, out=np.full_like(gains, np.nan), where=counts > 0)


def meta_game(observations: Observations, resamples: int = RESAMPLES, seed: int = 0) -> MetaGame | None:
    """The meta-game of a family with two seats; None for any other.

    Args:
        observations: Of one family.
        resamples: Bootstrap resamples of configurations; 0: none.
        seed: Of the resampling.
    """
    if len(observations.seats) != 2:
        return None
    gains = list(observations.gains)
    table = observations.table[observations.table[gains].notna().all(axis=1)]
    if table.empty:
        return None
    names = [in_order(set(table[seat])) for seat in observations.seats]
    sums = _sums(observations, table.index.to_numpy(), names)
    first, second = sums.means(np.ones(len(sums.counts)))
    empty = [(names[0][i], names[1][j]) for i, j in zip(*np.nonzero(np.isnan(first)), strict=True)]
    made = MetaGame(observations.family, names[0], names[1], first, second, empty, unequal=_unequal(sums.counts))
    if empty:
        return made
    found = equilibria(first, second)
    survive, used = survival(sums.means, len(sums.counts), found.profiles, resamples, seed)
    pairs = zip(found.profiles, survive, strict=True)
    named = [_named(profile, names, first, second, share) for profile, share in pairs]
    return replace(made, equilibria=named, searched=found.searched, degenerate=found.degenerate, resamples=used)


def _unequal(counts: np.ndarray) -> bool:
    """Whether pairs that met are spread differently over the configurations, counts of shape (clusters, m, n)."""
    pairs = counts[:, counts.any(axis=0)]
    shares = pairs / pairs.sum(axis=0)
    return not np.allclose(shares, shares[:, :1])


def _sums(observations: Observations, index: np.ndarray, names: Sequence[list[str]]) -> _Sums:
    table = observations.table.loc[index]
    clusters, labels = table["configuration"].factorize()
    places = [
        table[s].map({n: i for i, n in enumerate(side)}) for s, side in zip(observations.seats, names, strict=True)
    ]
    at = (clusters, *(place.to_numpy(int) for place in places))
    shape = (len(labels), len(names[0]), len(names[1]))
    counts, gains = np.zeros(shape), np.zeros((2, *shape))
    np.add.at(counts, at, 1.0)
    for seat, column in enumerate(observations.gains):
        np.add.at(gains[seat], at, table[column].to_numpy(float))
    return _Sums(gains, counts)


def survival(
    means: Callable[[np.ndarray], np.ndarray], clusters: int, profiles: Sequence[Profile], resamples: int, seed: int
) -> tuple[list[float], int]:
    """How often each profile is found again when configurations are drawn with replacement.

    Args:
        means: Function of weights of the configurations to mean gains (see `_Sums.means`).
        clusters: Number of configurations.
        profiles: Equilibria of the whole.
        resamples: How many.
        seed: Of the drawing.

    Returns:
        Shares, and the number of resamples in which every pair met.
    """
    if clusters < 2 or not resamples:
        return [math.nan] * len(profiles), 0
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=resamples).astype(float)
    first, second = means(weights)
    whole = np.isfinite(first).all(axis=(1, 2))
    first, second = first[whole], second[whole]
    if not len(first):
        return [math.nan] * len(profiles), 0
    still = stable(first, second).mean(axis=0)
    mixed = [profile for profile in profiles if not profile.pure][:CHECKED]
    return [_share(profile, still, first, second, mixed) for profile in profiles], len(first)


def _share(
    profile: Profile, still: np.ndarray, first: np.ndarray, second: np.ndarray, mixed: Sequence[Profile]
) -> float:
    if profile.pure:
        (row,), (column,) = profile.support
        return float(still[row, column])
    if not any(profile is one for one in mixed):
        return math.nan
    return float(np.mean([supported(a, b, profile.support) for a, b in zip(first, second, strict=True)]))


def _named(
    profile: Profile, names: Sequence[list[str]], first: np.ndarray, second: np.ndarray, survives: float
) -> Equilibrium:
    sides = [{names[side][i]: float(profile[side][i]) for i in profile.support[side]} for side in (0, 1)]
    gains = tuple(float(profile.first @ matrix @ profile.second) for matrix in (first, second))
    return Equilibrium(sides[0], sides[1], (gains[0], gains[1]), profile.pure, survives)
