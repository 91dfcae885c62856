"""Which games exist, and where Gymnasium and PettingZoo find them."""

from __future__ import annotations

import copyreg
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.parameters import Parameter
from econzoo.envs.core.contract.validation import fold, nearest_names, unknown_name
from econzoo.envs.core.extras import MissingLibraryError

__all__ = [
    "GameLoadError",
    "all_games",
    "game",
    "games",
    "gymnasium_id",
    "pettingzoo_id",
    "players_of",
    "register_game",
]

T = TypeVar("T")

_PLAYERS: list[str] = []
_ADDED_PLAYERS: dict[str, list[str]] = {}
_GAMES: dict[str, GameEntry] = {}
_LOADED_GAMES: dict[str, Game] = {}


class GameEntry(NamedTuple):
    """Where a game is found.

    Attributes:
        where: ``"module:ATTRIBUTE"`` of the `Game`.
        version: Of its ids.
        players: Import path of the module of its scripted players; empty if it has none.
    """

    where: str
    version: int
    players: str


class GameLoadError(ValueError):
    """A game or its players cannot be loaded from where they were registered."""


def register_game(
    name: str, where: str | Game, version: int | None = None, players: str | ModuleType | None = None
) -> None:
    """Makes a game known to `econzoo.make`, Gymnasium and PettingZoo.

    Args:
        name: Snake-case id.
        where: The `Game`, or ``"module:ATTRIBUTE"`` of it, imported when first needed.
        version: As the game's own; None: that of the `Game`, or 0.
        players: The module of its scripted players, or its import path: ``PLAYERS`` by name, and
            ``POOLS`` of their specs, see `econzoo.baselines.pools`; None: it has none.

    Raises:
        ValueError: The name is no snake-case word, or another game's, or not that of the `Game`; or so is the version.
    """
    if not isinstance(name, str) or not name.isidentifier() or name.lower() != name:
        raise ValueError(f"name={name!r} is not allowed; allowed: a snake-case word")
    if not isinstance(where, Game) and ":" not in (where if isinstance(where, str) else ""):
        raise ValueError(f"where={where!r} is not allowed; allowed: a Game, or 'module:ATTRIBUTE' of one")
    path = f"{where.package}:GAME" if isinstance(where, Game) else where
    if name in _GAMES and _GAMES[name].where != path:
        raise ValueError(f"name={name!r} is not allowed: {_GAMES[name].where} has it; allowed: another name")
    own = where.version if isinstance(where, Game) else 0
    told = players.__name__ if isinstance(players, ModuleType) else players or ""
    new = GameEntry(path, own if version is None else version, told)
    if isinstance(where, Game):
        _LOADED_GAMES[name] = _check_loaded_game(name, new, where)
    _GAMES[name] = new
    _register_gymnasium(name, new.version)
    _register_pettingzoo(name, new.version)


def ensure_registered(name: str, where: GameEntry) -> None:
    """Makes a game known to this process that another one has registered."""
    if name not in _GAMES:
        register_game(name, *where)


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
    return tuple(_GAMES)


def game(name: str) -> Game:
    """The game with this name.

    Raises:
        UnusableError: It cannot be loaded.
        ValueError: No such game; the message lists those that exist.
    """
    found = game_entry(name)
    if name not in _LOADED_GAMES:
        _LOADED_GAMES[name] = _check_loaded_game(name, found, _import_object(f"the game {name!r}", found.where))
    return _LOADED_GAMES[name]


def players_of(name: str) -> ModuleType | None:
    """The module of the scripted players of a game; None if it has none.

    Raises:
        UnusableError: It cannot be loaded.
        ValueError: No such game; the message lists those that exist.
    """
    where = game_entry(name).players
    if not where:
        return None
    return _load_players(name, where)


def _load_players(name: str, where: str) -> ModuleType:
    module: ModuleType = _import_object(f"the players of {name!r}", where)
    if not isinstance(getattr(module, "PLAYERS", None), Mapping):
        raise GameLoadError(f"the players of {name!r} cannot be loaded: {where} has no dictionary PLAYERS")
    return module


def add_players(name: str, where: str) -> None:
    """Adds scripted players of another package to a game; a name that is taken stays with who has it.

    Args:
        name: Of the game.
        where: Import path of a module with ``PLAYERS``, imported when first needed.
    """
    known = _ADDED_PLAYERS.setdefault(name, [])
    known += [where] * (where not in known)


def added_players(name: str) -> dict[str, Any]:
    """The players that other packages have added to a game, by name.

    Raises:
        UnusableError: They cannot be loaded.
    """
    out: dict[str, Any] = {}
    for where in _ADDED_PLAYERS.get(name, ()):
        out = {**_load_players(name, where).PLAYERS, **out}
    return out


def game_entry(name: str) -> GameEntry:
    """Where a game is found.

    Raises:
        ValueError: No such game; the message lists those that exist.
    """
    if not isinstance(name, str) or name not in _GAMES:
        raise ValueError(unknown_name("game", name, _GAMES, hint=name_hint(name)))
    return _GAMES[name]


def name_hint(name: Any) -> str:
    """What a name that is no game is instead: a setting of one, or a player."""
    for one in _GAMES if isinstance(name, str) and not nearest_names(name, _GAMES) else ():
        with suppress(GameLoadError, ImportError):
            near = nearest_names(name, game(one).scenarios.MARKETS)
            if len(fold(name)) > 3 and fold(name) in fold(game(one).summary):
                return f"{one}: {game(one).summary.rstrip('.')}"
            if near:
                return f"{near[0]!r} is a setting of {one}"
        with suppress(GameLoadError, ImportError, ValueError):
            player(name.partition(":")[0], one)
            return f"{name!r} is a player; the game comes first"
    return ""


def _import_object(what: str, where: str) -> Any:
    """What is at ``"module:ATTRIBUTE"`` or ``"module"``, which may be anybody's code."""
    module, _, attribute = where.partition(":")
    try:
        found = import_module(module)
        return getattr(found, attribute) if attribute else found
    except MissingLibraryError:
        raise
    except Exception as error:
        raise GameLoadError(f"{what} cannot be loaded from {where}: {type(error).__name__}: {error}") from error


def _check_loaded_game(name: str, told: GameEntry, found: Any) -> Game:
    """The game that was found, if it is what was registered."""
    if not isinstance(found, Game):
        raise GameLoadError(f"the game {name!r} cannot be loaded: {told.where} is no Game")
    if (found.name, found.version) != (name, told.version):
        other = f"{told.where} is {found.name!r} in version {found.version}"
        raise GameLoadError(f"the game {name!r} in version {told.version} cannot be loaded: {other}")
    return found


def _reduce_to_name(one: Game) -> tuple[Any, tuple[str]]:
    """How a game is pickled: its functions cannot be, so the other process looks it up by its name."""
    return game, (one.name,)


copyreg.pickle(Game, _reduce_to_name)


def parameters_of(name: str) -> tuple[Parameter, ...]:
    """The public parameters that a game declares; none for a game that is not known here."""
    return game(name).parameters if name in _GAMES else ()


def all_games(names: Iterable[str] | None = None) -> list[Game]:
    """The games themselves; of all games (None) those that can be loaded, and a warning tells of each other."""
    return list(iterate_loadable(game)) if names is None else [game(name) for name in names]


def iterate_loadable(load: Callable[[str], T]) -> Iterator[T]:
    """What is loaded for each game; a warning tells of each of which it cannot be.

    Args:
        load: Gets the name of a game; may raise `GameLoadError`.
    """
    for name in games():
        try:
            yield load(name)
        except GameLoadError as error:
            warn_about(_GAMES[name].where, str(error))


def warn_about(source: str, text: str) -> None:
    """Warns in one line, which points to a package or module and to no line of this one."""
    warnings.warn_explicit(text, UserWarning, source, 1)


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
        compiled = gymnasium_id(f"{name}_compiled", version)
        gymnasium.register(
            compiled, vector_entry_point="econzoo.envs.constructors:make_vec", kwargs={"game_name": name}
        )


def _register_pettingzoo(name: str, version: int) -> None:
    try:
        from pettingzoo import aec_registry, parallel_registry, register
    except ImportError:  # PettingZoo before 1.27 has no registry; `make` works all the same
        return
    id = pettingzoo_id(name, version)
    if id not in aec_registry:
        register("aec", id, "econzoo.envs.constructors:make", kwargs={"game_name": name})
    if id not in parallel_registry:
        register("parallel", id, "econzoo.envs.constructors:make_parallel", kwargs={"game_name": name})
