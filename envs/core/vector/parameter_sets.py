"""Parameters of many games, from the forms in which they can be given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.streams import keyed, setting_of


def parameter_sets(
    game: Game, num_games: int, given: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None, any_number: bool
) -> tuple[list[Any], str]:
    """The different parameters of the rules: one set for all games, or one for each (or any number of them).

    With them comes the setting that they make together (`econzoo.envs.core.contract.streams`).

    Args:
        game: The game.
        num_games: How many games there are.
        given: As `econzoo.envs.core.vector.batch.GameBatch` takes them.
        any_number: Whether their number is free.

    Raises:
        ValueError: Something is not allowed; the message names it and what is allowed.
    """
    if given is None or isinstance(given, Mapping):
        public = _unstacked(game, num_games, given or {})
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes):
        public = list(given)
        if not public or not (any_number or len(public) in (1, num_games)):
            raise ValueError(f"params: {len(public)} sets of parameters for {num_games} games; allowed: one for each")
    else:
        raise ValueError(f"params must be a mapping or a sequence of mappings; got {type(given).__name__}")
    checked, made = zip(*[_made(game, one) for one in public], strict=True)
    if len({game.seats(params) for params in made}) > 1:
        raise ValueError(f"{game.name}: all games of a batch must have the same number of seats")
    return list(made), setting_of(game, checked[0]) if len(made) == 1 else f"{game.name} {keyed(repr(made))}"


def merged(params: Any, own: Mapping[str, Any]) -> Any:
    """One set of public parameters, or several, as a list, with those given by name in each.

    Raises:
        ValueError: `params` is no mapping and no list of mappings.
    """
    if params is None or isinstance(params, Mapping):
        return [{**own, **(params or {})}]
    if isinstance(params, list | tuple) and all(isinstance(one, Mapping) for one in params):
        return [{**own, **one} for one in params]
    raise ValueError(f"params={params!r} is not allowed; allowed: a mapping, or a list of mappings"[:300])


def _made(game: Game, public: Any) -> tuple[dict[str, Any], Any]:
    if not isinstance(public, Mapping):
        raise ValueError(f"params: a set of parameters must be a mapping; got {type(public).__name__}")
    return game.params(**public)


def _unstacked(game: Game, num_games: int, given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
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
