"""Registry of games, also in Gymnasium and PettingZoo."""

from __future__ import annotations

import copyreg
import sys
import warnings
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from importlib import import_module
from pkgutil import resolve_name
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from econzoo.envs.core.contract import Game, check_arguments, fold, nearest_names, unknown_name
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

# Location of one function: games cannot import players, which import games.
_PLAYERS: list[str] = []
_ADDED_PLAYERS: dict[str, list[str]] = {}
_PLAYER_FILES: dict[PlayerFile, Mapping[str, Mapping[str, Any]]] = {}
_GAMES: dict[str, GameEntry] = {}
_LOADED_GAMES: dict[str, Game] = {}


class ObjectsByName(UserDict[str, Any]):
    """Objects by name, each given as ``"module:attribute"`` until its first use, or as it is."""

    def __getitem__(self, name: str) -> Any:
        if isinstance(where := self.data[name], str):
            self.data[name] = resolve_name(where)
        return self.data[name]


class PlayerFile(NamedTuple):
    """A Python file with ``PLAYERS``, the scripted players of each game by name.

    Attributes:
        path: Where it was read.
        source: Its text, so that all processes run the same.
    """

    path: str
    source: str

    @property
    def digest(self) -> str:
        """SHA-256 of the source."""
        return sha256(self.source.encode()).hexdigest()


class GameEntry(NamedTuple):
    """Location of a game.

    Attributes:
        where: ``"module:ATTRIBUTE"`` of the `Game`.
        version: Version in its ids.
        players: Import path of the module of its scripted players; empty if none.
        files: Files of players, of any games, that this process has added.
    """

    where: str
    version: int
    players: str
    files: tuple[PlayerFile, ...] = ()


class GameLoadError(ValueError):
    """A registered game or its players cannot be loaded."""


def register_game(
    name: str, where: str | Game, version: int | None = None, players: str | ModuleType | None = None
) -> None:
    """Register a game with `econzoo.make`, Gymnasium and PettingZoo.

    Args:
        name: Snake-case id.
        where: The `Game`, or its ``"module:ATTRIBUTE"``, imported lazily.
        version: Version of the game; None: that of the `Game`, or 0.
        players: Module of its scripted players, or its import path, with ``PLAYERS`` by name and
            ``POOLS`` of specs, see `econzoo.baselines.pools`; None: none.

    Raises:
        ValueError: Invalid or taken name, or name or version differ from those of the `Game`.
    """
    if not isinstance(name, str) or not name.isidentifier() or name.lower() != name:
        raise ValueError(f"invalid name={name!r}: expected a snake-case word")
    if not isinstance(where, Game) and ":" not in (where if isinstance(where, str) else ""):
        raise ValueError(f"invalid where={where!r}: expected a Game, or 'module:ATTRIBUTE' of one")
    path = f"{where.package}:GAME" if isinstance(where, Game) else where
    # The same game again is no error: a module can be run twice, and processes register what they receive.
    if name in _GAMES and _GAMES[name].where != path:
        raise ValueError(f"invalid name={name!r}: already registered for {_GAMES[name].where}")
    own = where.version if isinstance(where, Game) else 0
    module = players.__name__ if isinstance(players, ModuleType) else players or ""
    new = GameEntry(path, own if version is None else version, module)
    if isinstance(where, Game):
        _LOADED_GAMES[name] = _check_loaded_game(name, new, where)
    _GAMES[name] = new
    _register_gymnasium(name, new.version)
    _register_pettingzoo(name, new.version)


def ensure_registered(name: str, where: GameEntry) -> None:
    """Register a game of another process in this one, and the files of players that it has added."""
    if name not in _GAMES:
        register_game(name, *where[:3])
    for file in where.files:
        add_player_file(file)


def register_players(where: str) -> None:
    """Set the function that creates players from specs, so that environments accept opponents by name.

    Args:
        where: ``"module:function"``, imported lazily; a function of (spec, name of the game).
    """
    _PLAYERS[:] = [where]


def player(spec: str, game_name: str) -> Any:
    return resolve_name(_PLAYERS[0])(spec, game_name)


@check_arguments
def games() -> tuple[str, ...]:
    """Return the names of all games."""
    return tuple(_GAMES)


def game(name: str) -> Game:
    """Return a game by name.

    Raises:
        GameLoadError: It cannot be loaded.
        ValueError: Unknown game.
    """
    found = _entry(name)
    if name not in _LOADED_GAMES:
        _LOADED_GAMES[name] = _check_loaded_game(name, found, _import_object(f"the game {name!r}", found.where))
    return _LOADED_GAMES[name]


def players_of(name: str) -> ModuleType | None:
    """Return the module of a game's scripted players, or None.

    Raises:
        GameLoadError: It cannot be loaded.
        ValueError: Unknown game.
    """
    where = _entry(name).players
    if not where:
        return None
    return _load_players(name, where)


def _load_players(name: str, where: str) -> ModuleType:
    module: ModuleType = _import_object(f"the players of {name!r}", where)
    if not isinstance(getattr(module, "PLAYERS", None), Mapping):
        raise GameLoadError(f"the players of {name!r} cannot be loaded: {where} has no dictionary PLAYERS")
    return module


def add_players(name: str, where: str) -> None:
    """Add scripted players of another package to a game; existing names take precedence."""
    modules = _ADDED_PLAYERS.setdefault(name, [])
    modules += [where] * (where not in modules)


def add_player_file(file: PlayerFile) -> ModuleType:
    """Run a file of players in a module of its own, and add them to their games.

    Raises:
        AttributeError: It has no ``PLAYERS``.
        Exception: What it raises itself.
    """
    name = f"econzoo_players_{file.digest}"
    if file not in _PLAYER_FILES:
        module = ModuleType(name)
        sys.modules[name] = module  # which dataclasses and pickle look up
        exec(compile(file.source, file.path, "exec"), module.__dict__)
        _PLAYER_FILES[file] = module.PLAYERS
    return sys.modules[name]


def remove_player_file(file: PlayerFile) -> None:
    _PLAYER_FILES.pop(file, None)


def file_of_player(name: str, player_name: str) -> PlayerFile | None:
    """Return the added file that has a game's player."""
    return next((file for file, players in _PLAYER_FILES.items() if player_name in players.get(name, ())), None)


def added_players(name: str) -> dict[str, Any]:
    """Return the players that other packages and files have added to a game, by name."""
    out: dict[str, Any] = {}
    for where in _ADDED_PLAYERS.get(name, ()):
        out = {**_load_players(name, where).PLAYERS, **out}
    for players in _PLAYER_FILES.values():
        out = {**players.get(name, {}), **out}
    return out


def game_entry(name: str) -> GameEntry:
    """Return the location of a game, for another process."""
    return _entry(name)._replace(files=tuple(_PLAYER_FILES))


def _entry(name: str) -> GameEntry:
    if not isinstance(name, str) or name not in _GAMES:
        raise ValueError(unknown_name("game", name, _GAMES, hint=name_hint(name)))
    return _GAMES[name]


def name_hint(name: Any) -> str:
    """Explain an unknown game name that is a setting or player; empty if it is neither."""
    for one in _GAMES if isinstance(name, str) and not nearest_names(name, _GAMES) else ():
        with suppress(GameLoadError, ImportError):
            near = nearest_names(name, game(one).scenarios.SETTINGS)
            if len(fold(name)) > 3 and fold(name) in fold(game(one).summary):
                return f"{one}: {game(one).summary.rstrip('.')}"
            if near:
                return f"{near[0]!r} is a setting of {one}"
        with suppress(GameLoadError, ImportError, ValueError):
            player(name.partition(":")[0], one)
            return f"{name!r} is a player; the game comes first"
    return ""


def _import_object(what: str, where: str) -> Any:
    """Import ``"module:ATTRIBUTE"`` or ``"module"`` from any package."""
    module, _, attribute = where.partition(":")
    try:
        found = import_module(module)
        return getattr(found, attribute) if attribute else found
    except MissingLibraryError:
        raise
    except Exception as error:
        raise GameLoadError(f"{what} cannot be loaded from {where}: {type(error).__name__}: {error}") from error


def _check_loaded_game(name: str, entry: GameEntry, found: Any) -> Game:
    """Return a loaded game if it matches its registration."""
    if not isinstance(found, Game):
        raise GameLoadError(f"the game {name!r} cannot be loaded: {entry.where} is not a Game")
    if (found.name, found.version) != (name, entry.version):
        other = f"{entry.where} is {found.name!r} in version {found.version}"
        raise GameLoadError(f"the game {name!r} in version {entry.version} cannot be loaded: {other}")
    return found


def _reduce_to_name(one: Game) -> tuple[Any, tuple[str]]:
    """Pickle a game by name, because its functions cannot be pickled."""
    return game, (one.name,)


copyreg.pickle(Game, _reduce_to_name)


@check_arguments
def all_games(names: Iterable[str] | None = None) -> list[Game]:
    """Return games by name; None: all loadable games, with a warning about each other one."""
    return list(iterate_loadable(game)) if names is None else [game(name) for name in names]


def iterate_loadable(load: Callable[[str], T]) -> Iterator[T]:
    """Yield the result of `load` for each game; warn about failures."""
    for name in games():
        try:
            yield load(name)
        except GameLoadError as error:
            warn_about(_GAMES[name].where, str(error))


def warn_about(source: str, text: str) -> None:
    """Warn with a package or module as the location."""
    warnings.warn_explicit(text, UserWarning, source, 1)


@check_arguments
def gymnasium_id(name: str, version: int) -> str:
    """Format ``econzoo/Name-vN``."""
    return f"econzoo/{''.join(part.capitalize() for part in name.split('_'))}-v{version}"


@check_arguments
def pettingzoo_id(name: str, version: int) -> str:
    """Format ``econzoo/name-vN``."""
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
    except ImportError:  # PettingZoo < 1.27 has no registry; `make` works anyway
        return
    id = pettingzoo_id(name, version)
    if id not in aec_registry:
        register("aec", id, "econzoo.envs.constructors:make", kwargs={"game_name": name})
    if id not in parallel_registry:
        register("parallel", id, "econzoo.envs.constructors:make_parallel", kwargs={"game_name": name})
