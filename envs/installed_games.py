"""Games of other packages, which name them as entry points.

In the pyproject.toml of a package::

    [project.entry-points."econzoo.games"]
    trust = "econzoo_trust:GAME"  # trust_v1 if its version is 1

    [project.entry-points."econzoo.players"]
    trust = "econzoo_trust.players"

Nothing is imported before it is asked for.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from econzoo.envs.core.registry import register_game, warn_of

GAMES, PLAYERS = "econzoo.games", "econzoo.players"
"""Groups of entry points."""


def register_installed() -> None:
    """Registers the games of installed packages; a warning tells of each that is left out."""
    players: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=PLAYERS)):
        if players.setdefault(point.name, point) != point:
            left_out("players", point, f"{players[point.name].value} are there already")
    for point in sorted(entry_points(group=GAMES)):
        name, version = versioned(point.name)
        own = players.pop(name, None)
        where = point.value if ":" in point.value else f"{point.value}:GAME"
        try:
            register_game(name, where, version, own.value if own else None)
        except ValueError as error:
            left_out("game", point, str(error))
    for point in players.values():
        left_out("players", point, "no installed package has a game of this name")


def versioned(name: str) -> tuple[str, int]:
    """``trust_v1`` -> trust, 1; without a version it is 0."""
    stem, _, number = name.rpartition("_v")
    return (stem, int(number)) if number.isdecimal() else (name, 0)


def left_out(what: str, point: EntryPoint, why: str) -> None:
    """Warns that something in the entry points of a package is left out."""
    package = point.dist.name if point.dist else "some package"
    warn_of(package, f"the {what} {point.name!r} of the package {package} cannot be used: {why}")
