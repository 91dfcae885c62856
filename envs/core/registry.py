"""Which games exist, and where Gymnasium and PettingZoo find them."""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.parameters import Parameter

__all__ = [
    "all_games",
    "game",
    "games",
    "gymnasium_id",
    "pettingzoo_id",
    "register_game",
]

_PLAYERS: list[str] = []
_WHERE: dict[str, str] = {}
_LOADED: dict[str, Game] = {}


def register_game(name: str, where: str | Game, version: int = 0) -> None:
    """Makes a game known to `econzoo.make`, Gymnasium and PettingZoo.

    Args:
        name: Snake-case id.
        where: The `Game`, or ``"module:ATTRIBUTE"`` of it, imported when first needed.
        version: As the game's own.

    Raises:
        ValueError: The name is no snake-case word.
    """
    if not isinstance(name, str) or not name.isidentifier() or name.lower() != name:
        raise ValueError(f"name={name!r} is not allowed; allowed: a snake-case word")
    if not isinstance(where, Game) and ":" not in (where if isinstance(where, str) else ""):
        raise ValueError(f"where={where!r} is not allowed; allowed: a Game, or 'module:ATTRIBUTE' of one")
    if isinstance(where, Game):
        _LOADED[name] = where
        _WHERE[name] = f"{where.package}:GAME"
    else:
        _WHERE[name] = where
    _register_gymnasium(name, version)
    _register_pettingzoo(name, version)


def register_players(where: str) -> None:
    """Says who makes players from specs, so that an environment may be given opponents by name.

    Args:
        where: ``"module:function"``, imported when first needed; the function gets (spec, name of the game).
    """
    _PLAYERS[:] = [where]


def player(spec: str, game_name: str) -> Any:
    """The player of a spec.

    Raises:
        ValueError: The spec is unknown, or its player plays another game.
    """
    module, _, function = _PLAYERS[0].partition(":")
    return getattr(import_module(module), function)(spec, game_name)


def games() -> tuple[str, ...]:
    """Names of all games."""
    return tuple(_WHERE)


def game(name: str) -> Game:
    """The game with this name.

    Raises:
        ValueError: No such game; the message lists those that exist.
    """
    if not isinstance(name, str) or name not in _WHERE:
        raise ValueError(f"unknown game {name!r}; allowed: {', '.join(_WHERE)}")
    if name not in _LOADED:
        module, _, attribute = _WHERE[name].partition(":")
        _LOADED[name] = getattr(import_module(module), attribute)
    return _LOADED[name]


def _by_name(one: Game) -> tuple[Any, tuple[str]]:
    """How a game is pickled: its functions cannot be, so the other process looks it up by its name."""
    return game, (one.name,)


copyreg.pickle(Game, _by_name)


def parameters_of(name: str) -> tuple[Parameter, ...]:
    """The public parameters that a game declares; none for a game that is not known here."""
    return game(name).parameters if name in _WHERE else ()


def all_games(names: Iterable[str] | None = None) -> list[Game]:
    """The games themselves."""
    return [game(name) for name in (games() if names is None else names)]


def gymnasium_id(name: str, version: int) -> str:
    """``econzoo/Name-vN``."""
    return f"econzoo/{''.join(part.capitalize() for part in name.split('_'))}-v{version}"


def pettingzoo_id(name: str, version: int) -> str:
    """``econzoo/name-vN``."""
    return f"econzoo/{name}-v{version}"


def _register_gymnasium(name: str, version: int) -> None:
    import gymnasium

    id = gymnasium_id(name, version)
    if id not in gymnasium.registry:
        gymnasium.register(
            id,
            entry_point="econzoo.baselines.single_agent:make_single_agent",
            kwargs={"game": name},
            order_enforce=True,
        )


def _register_pettingzoo(name: str, version: int) -> None:
    try:
        from pettingzoo import aec_registry, parallel_registry, register
    except ImportError:  # PettingZoo before 1.27 has no registry; `make` works all the same
        return
    id = pettingzoo_id(name, version)
    if id not in aec_registry:
        register("aec", id, "econzoo.envs.making:make", kwargs={"game_name": name})
    if id not in parallel_registry:
        register("parallel", id, "econzoo.envs.making:make_parallel", kwargs={"game_name": name})


def __getattr__(name: str) -> Any:
    """The makers, which were here in version 0.1; until 0.3."""
    if name not in ("make", "make_parallel", "make_raw", "make_vec"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is now econzoo.{name}", DeprecationWarning, stacklevel=2)
    return getattr(import_module("econzoo"), name)
