"""The games, and the generic environments that play them.

Games of other packages are named by these as entry points. In the pyproject.toml of a package::

    [project.entry-points."econzoo.games"]
    trust = "econzoo_trust:GAME"  # trust_v1 if its version is 1

    [project.entry-points."econzoo.players"]
    trust = "econzoo_trust.players"
    bargaining = "econzoo_trust.bargainers"  # beside the players that this game of ours has

Nothing is imported before it is asked for.
"""

from __future__ import annotations

import re
import sys
from os import listdir
from os.path import join
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from econzoo.envs.core.registry import add_players, register_game, warn_about

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
"""Games that lists begin with; the others follow by name."""


def _list_position(game: tuple[str, int]) -> tuple[int, str, int]:
    """Where a game stands in lists, from its name and version."""
    name, version = game
    return LISTED_FIRST.index(name) if name in LISTED_FIRST else len(LISTED_FIRST), name, version


def versioned_modules(path: list[str]) -> dict[str, int]:
    """Games that have a module ``NAME_vN`` among those of a package, with their latest versions.

    Args:
        path: Of the package. Its modules are listed, not imported.
    """
    found = [re.fullmatch(r"(\w+)_v(\d+)", module.name) for module in iter_modules(path)]
    return dict(sorted(((match[1], int(match[2])) for match in found if match), key=_list_position))


GAMES = versioned_modules(__path__)
"""Every game of this package with its version; a game's folder is ``games/NAME``."""


def register_all() -> None:
    """Makes every game known to `econzoo.make`, Gymnasium and PettingZoo: ours, and those of installed packages."""
    for name, version in GAMES.items():
        register_game(name, f"econzoo.envs.games.{name}:GAME", version, players=f"econzoo.baselines.{name}")
    register_installed_games()


# Games of other packages

GAME_ENTRY_POINTS, PLAYER_ENTRY_POINTS = "econzoo.games", "econzoo.players"
"""Groups of entry points."""


def register_installed_games() -> None:
    """Registers the games of installed packages; a warning tells of each that is left out."""
    if not any(map(_may_have_entry_points, sys.path)):
        return
    from importlib.metadata import entry_points  # takes as long as a third of what is ours in `import econzoo`

    players: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=PLAYER_ENTRY_POINTS)):
        if point.name in GAMES:
            add_players(point.name, point.value)
        elif players.setdefault(point.name, point) != point:
            warn_left_out("players", point, f"{players[point.name].value} are there already")
    for point in sorted(entry_points(group=GAME_ENTRY_POINTS)):
        name, version = split_version(point.name)
        own = players.pop(name, None)
        where = point.value if ":" in point.value else f"{point.value}:GAME"
        try:
            register_game(name, where, version, own.value if own else None)
        except ValueError as error:
            warn_left_out("game", point, str(error))
    for point in players.values():
        warn_left_out("players", point, "no installed package has a game of this name")


def _may_have_entry_points(folder: str) -> bool:
    """Whether a place of packages may name entry points of ours."""
    try:
        abouts = [name for name in listdir(folder or ".") if name.lower().endswith("-info")]
    except FileNotFoundError:
        return False
    except OSError:  # an archive, which only Python's own search looks into
        return True
    return any(b"[econzoo." in _read_entry_points(join(folder, about)) for about in abouts)


def _read_entry_points(about: str) -> bytes:
    try:
        with open(join(about, "entry_points.txt"), "rb") as file:
            return file.read()
    except OSError:
        return b""


def split_version(name: str) -> tuple[str, int]:
    """``trust_v1`` -> trust, 1; without a version it is 0."""
    stem, _, number = name.rpartition("_v")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


def warn_left_out(what: str, point: EntryPoint, why: str) -> None:
    """Warns that something in the entry points of a package is left out."""
    package = point.dist.name if point.dist else "some package"
    warn_about(package, f"the {what} {point.name!r} of the package {package} cannot be used: {why}")
