"""Parameters of batches of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.contract import Game, hash_seed, invalid_value, setting_of

SAMPLE_SIZE = 1024
"""Number of parameter sets sampled from a distribution, of which games sample when they start."""


def parameter_sets(
    game: Game, num_games: int, given: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, any_number: bool
) -> tuple[list[Any], str, list[dict[str, Any]]]:
    """Return the distinct parameters of the rules: one set for all games, one per game, or any number.

    Also returns the hash of the setting (`econzoo.envs.core.contract.streams`) and the public parameters of each set.
    """
    if given is None or isinstance(given, Mapping):
        public = _unstack(game, num_games, given or {})
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        public = list(given)
        if not public or not (any_number or len(public) in (1, num_games)):
            raise ValueError(
                f"params: got {len(public)} sets of parameters for {num_games} games, expected one per game"
            )
    else:
        raise ValueError(f"params must be a mapping or a sequence of mappings, got {type(given).__name__}")
    checked, made = zip(*[_check_params(game, one) for one in public], strict=True)
    if len({game.seats(params) for params in made}) > 1:
        raise ValueError(f"{game.name}: all games of a batch must have the same number of seats")
    # Several sets are no setting: any text that tells batches apart serves the seeds.
    setting = setting_of(game, checked[0]) if len(made) == 1 else f"{game.name} {hash_seed(repr(made))}"
    return list(made), setting, list(checked)


class DrawnSets:
    """Parameter sets from which every game of a batch draws when it starts.

    Args:
        first: First set of each game, int64 of shape (games,).
        count: Number of sets of each game, which follow `first`, int64 of shape (games,).
    """

    def __init__(self, public: Sequence[Mapping[str, Any]], first: np.ndarray, count: np.ndarray) -> None:
        self.public, self.first, self.count = list(public), first, count
        self._is_fixed, self._is_common = bool((count == 1).all()), bool((count == len(public)).all())

    @property
    def is_random(self) -> bool:
        """Whether `draw` uses random numbers."""
        return not self._is_fixed

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Return a set for each game, int64 of shape (games,)."""
        if self._is_fixed:
            return self.first
        if self._is_common:
            return rng.integers(len(self.public), size=len(self.first))
        return self.first + rng.integers(self.count)

    def change(self, changes: Mapping[str, Any], chosen: np.ndarray) -> tuple[DrawnSets, np.ndarray]:
        """Return the sets after a change of the chosen games' parameters, and the new place of every old set."""
        ranges = np.stack([self.first, self.count, chosen.astype(np.int64)], axis=1)
        distinct, places = np.unique(ranges, axis=0, return_inverse=True)
        public: list[Mapping[str, Any]] = []
        starts, moved = [], np.zeros(len(self.public), np.int64)
        for first, count, changed in distinct.tolist():  # sets that no game draws any more are dropped
            starts.append(len(public))
            if not changed:
                moved[first : first + count] = np.arange(len(public), len(public) + count)
            public += [{**one, **(changes if changed else {})} for one in self.public[first : first + count]]
        # NumPy 2.0 returns the inverse as a column, other versions as a row.
        return DrawnSets(public, np.array(starts)[places.reshape(-1)], self.count), moved


def parameter_list(game: Game, given: Any) -> list[Any]:
    """Return a list of public parameter sets from the argument of `LearnerBatch`."""
    if given is None or isinstance(given, Mapping):
        return [given or {}]
    if isinstance(given, str):
        return sample_distribution(game, given)
    if isinstance(given, list | tuple) and given and all(isinstance(one, Mapping) for one in given):
        return list(given)
    raise ValueError(invalid_value("params", given, "a mapping, a list of mappings, or the name of a distribution"))


def sample_distribution(game: Game, distribution: str) -> list[dict[str, Any]]:
    """Return `SAMPLE_SIZE` samples from a distribution with a fixed seed, or one if it is a single setting."""
    rng, one = np.random.default_rng(0), distribution in game.scenarios.SETTINGS
    return [dict(game.sample(distribution, rng)) for _ in range(1 if one else SAMPLE_SIZE)]


def merge_parameters(game: Game, params: Any, own: Mapping[str, Any], distribution: str | None) -> list[Any]:
    """Return parameter sets with the parameters given by name added to each."""
    if params is not None and distribution is not None:
        raise ValueError("params and settings exclude each other; pass only one")
    if isinstance(params, str):
        raise ValueError(invalid_value("params", params, "a mapping, or a list of mappings"))
    return [{**own, **one} for one in parameter_list(game, params if distribution is None else distribution)]


def _check_params(game: Game, public: Any) -> tuple[dict[str, Any], Any]:
    if not isinstance(public, Mapping):
        raise ValueError(f"params: a set of parameters must be a mapping, got {type(public).__name__}")
    return game.params(**public)


def _unstack(game: Game, num_games: int, given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return one mapping for all games, or one per game if some values are arrays with one row per game."""
    stacked = {}
    for name, value in given.items():
        own = np.ndim(game.defaults.get(name, 0.0))
        if isinstance(value, np.ndarray) and value.ndim == own + 1:
            if len(value) != num_games:
                raise ValueError(f"{game.name}: {name} has {len(value)} rows for {num_games} games")
            stacked[name] = value.tolist()
    if not stacked:
        return [given]
    return [{**given, **{name: rows[i] for name, rows in stacked.items()}} for i in range(num_games)]
