"""Games and the generic environments that run them.

Other packages add games and players through entry points in their pyproject.toml::

    [project.entry-points."econzoo.games"]
    trust = "econzoo_trust:GAME"  # trust_v1 if its version is 1

    [project.entry-points."econzoo.players"]
    trust = "econzoo_trust.players"
    bargaining = "econzoo_trust.bargainers"  # added to the built-in players of this game

Modules are imported on first use.
"""

from __future__ import annotations

import re
import sys
from os import listdir
from os.path import join
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from econzoo.envs.core import add_players, register_game, warn_about

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

LISTED_FIRST = (
    "bargaining",
    "negotiation",
    "persuasion",
    "water_allocation",
    "guess_average",
    "survival_auction",
    "matrix",
    "program_matrix",
    "program_coin",
    "coin_game",
    "code_reading",
)
"""First games in listings; the rest follow alphabetically."""


def _list_position(game: tuple[str, int]) -> tuple[int, str, int]:
    """Sort key of a game in listings."""
    name, version = game
    return LISTED_FIRST.index(name) if name in LISTED_FIRST else len(LISTED_FIRST), name, version


def versioned_modules(path: list[str]) -> dict[str, int]:
    """Return the games with a module ``NAME_vN`` in a package, with their latest versions."""
    found = [re.fullmatch(r"(\w+)_v(\d+)", module.name) for module in iter_modules(path)]
    return dict(sorted(((match[1], int(match[2])) for match in found if match), key=_list_position))


GAMES = versioned_modules(__path__)
"""Built-in games and their versions; the folder of a game is ``games/NAME``."""


def register_all() -> None:
    """Register all built-in and installed games with `econzoo.make`, Gymnasium and PettingZoo."""
    for name, version in GAMES.items():
        register_game(name, f"econzoo.envs.games.{name}:GAME", version, players=f"econzoo.baselines.{name}")
    register_installed_games()


# Games of other packages

GAME_ENTRY_POINTS, PLAYER_ENTRY_POINTS = "econzoo.games", "econzoo.players"
"""Entry point groups."""


def register_installed_games() -> None:
    """Register the games of installed packages; warn about each that is skipped."""
    # Looking into the folders costs far less than the import below, which most users do not need.
    if not any(map(_may_have_entry_points, sys.path)):
        return
    from importlib.metadata import entry_points  # slow: a third of our own import time

    players: dict[str, EntryPoint] = {}
    # Sorted, so that the order of installation does not decide who is first.
    for point in sorted(entry_points(group=PLAYER_ENTRY_POINTS)):
        if point.name in GAMES:
            add_players(point.name, point.value)
        elif players.setdefault(point.name, point) != point:
            warn_left_out("players", point, f"{players[point.name].value} is already registered")
    for point in sorted(entry_points(group=GAME_ENTRY_POINTS)):
        name, version = split_version(point.name)
        own = players.pop(name, None)
        where = point.value if ":" in point.value else f"{point.value}:GAME"
        try:
            register_game(name, where, version, own.value if own else None)
        except ValueError as error:
            warn_left_out("game", point, str(error))
    for point in players.values():
        warn_left_out("players", point, "no installed package defines a game of this name")


def _may_have_entry_points(folder: str) -> bool:
    """Whether a folder of packages may contain EconZoo entry points."""
    try:
        abouts = [name for name in listdir(folder or ".") if name.lower().endswith("-info")]
    except FileNotFoundError:
        return False
    except OSError:  # an archive: leave it to importlib.metadata
        return True
    return any(b"[econzoo." in _read_entry_points(join(folder, about)) for about in abouts)


def _read_entry_points(about: str) -> bytes:
    try:
        with open(join(about, "entry_points.txt"), "rb") as file:
            return file.read()
    except OSError:
        return b""


def split_version(name: str) -> tuple[str, int]:
    """Split ``trust_v1`` into (trust, 1); the version defaults to 0."""
    stem, _, number = name.rpartition("_v")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


def warn_left_out(what: str, point: EntryPoint, why: str) -> None:
    """Warn that an entry point of a package is skipped."""
    package = point.dist.name if point.dist else "some package"
    warn_about(package, f"the {what} {point.name!r} of the package {package} cannot be used: {why}")
