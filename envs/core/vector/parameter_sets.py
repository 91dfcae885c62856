"""Parameters of many games, from the forms in which they can be given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.streams import hash_seed, setting_of
from econzoo.envs.core.contract.validation import short_repr

SAMPLE_SIZE = 1024
"""Sets of parameters that are drawn from a distribution; a game that starts draws one of them."""


def parameter_sets(
    game: Game, num_games: int, given: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, any_number: bool
) -> tuple[list[Any], str, list[dict[str, Any]]]:
    """The different parameters of the rules: one set for all games, or one for each (or any number of them).

    With them come the setting that they make together (`econzoo.envs.core.contract.streams`), and the public
    parameters of each.

    Args:
        game: The game.
        num_games: How many games there are.
        given: As `econzoo.envs.core.vector.batch.GameBatch` takes them.
        any_number: Whether their number is free.

    Raises:
        ValueError: Something is not allowed; the message names it and what is allowed.
    """
    if given is None or isinstance(given, Mapping):
        public = _unstack(game, num_games, given or {})
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        public = list(given)
        if not public or not (any_number or len(public) in (1, num_games)):
            raise ValueError(f"params: {len(public)} sets of parameters for {num_games} games; allowed: one for each")
    else:
        raise ValueError(f"params must be a mapping or a sequence of mappings; got {type(given).__name__}")
    checked, made = zip(*[_check_params(game, one) for one in public], strict=True)
    if len({game.seats(params) for params in made}) > 1:
        raise ValueError(f"{game.name}: all games of a batch must have the same number of seats")
    setting = setting_of(game, checked[0]) if len(made) == 1 else f"{game.name} {hash_seed(repr(made))}"
    return list(made), setting, list(checked)


def parameter_list(game: Game, given: Any) -> list[Any]:
    """Sets of public parameters, of which games draw one, from the forms that `LearnerBatch` takes.

    Raises:
        ValueError: They are no mapping, no list of mappings and no name of a distribution.
    """
    if given is None or isinstance(given, Mapping):
        return [given or {}]
    if isinstance(given, str):
        return sample_distribution(game, given)
    if isinstance(given, list | tuple) and given and all(isinstance(one, Mapping) for one in given):
        return list(given)
    allowed = "a mapping, a list of mappings, or the name of a distribution"
    raise ValueError(f"params={short_repr(given)} is not allowed; allowed: {allowed}")


def sample_distribution(game: Game, distribution: str) -> list[dict[str, Any]]:
    """Public parameters of `SAMPLE_SIZE` draws from a distribution, always the same; one if it is a single market."""
    rng, one = np.random.default_rng(0), distribution in game.scenarios.MARKETS
    return [dict(game.sample(distribution, rng)) for _ in range(1 if one else SAMPLE_SIZE)]


def merge_parameters(game: Game, params: Any, own: Mapping[str, Any], distribution: str | None) -> list[Any]:
    """Sets of public parameters with those given by name in each.

    Raises:
        ValueError: As `settings`, or there are both `params` and `distribution`.
    """
    if params is not None and distribution is not None:
        raise ValueError("params and markets exclude each other: give one of them")
    if isinstance(params, str):
        raise ValueError(f"params={short_repr(params)} is not allowed; allowed: a mapping, or a list of mappings")
    return [{**own, **one} for one in parameter_list(game, params if distribution is None else distribution)]


def _check_params(game: Game, public: Any) -> tuple[dict[str, Any], Any]:
    if not isinstance(public, Mapping):
        raise ValueError(f"params: a set of parameters must be a mapping; got {type(public).__name__}")
    return game.params(**public)


def _unstack(game: Game, num_games: int, given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """One mapping for all games, or one for each if some values are arrays with a row for each game."""
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
