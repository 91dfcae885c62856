"""The ``--reader`` option: a language model that classifies messages for scripted players."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from inspect import signature

from econzoo.baselines.factory import player, scripted_name, scripted_players
from econzoo.baselines.player import Player
from econzoo.envs.core.record.spec import split_name

READER = "reader"
"""Argument of a scripted player with the spec of its reader."""


def add_reader(specs: Iterable[str], game_name: str, reader: str | None) -> list[str]:
    """Add a reader to every scripted player that uses one and has none.

    Args:
        specs: Player specs.
        game_name: Name of the game.
        reader: Spec of a language model; None: no change.
    """
    return [
        spec if reader is None or not reads_keywords(spec, game_name) else _add_reader_argument(spec, reader)
        for spec in specs
    ]


def players_with_reader(game_name: str) -> list[str]:
    """Return the scripted players of a game that can have a reader."""
    return [name for name, maker in scripted_players(game_name).items() if READER in signature(maker).parameters]


def check_reader(reader: str | None, specs: Iterable[str], game_name: str) -> None:
    """Raise `ValueError` if no player uses the reader."""
    if reader is None or any(reads_keywords(spec, game_name) for spec in specs):
        return
    names = ", ".join(players_with_reader(game_name))
    users = f"expected one of {names}" if names else f"no script of {game_name} reads messages"
    raise ValueError(f"--reader {reader[:80]!r} is not used by any player: {users}")


def _add_reader_argument(spec: str, reader: str) -> str:
    label, written = split_name(spec)
    name, _, rest = written.partition("(")
    inside = rest.rpartition(")")[0].strip()
    return f"{label + '=' if label else ''}{name}({inside + ', ' if inside else ''}{READER}={reader!r})"


@lru_cache(maxsize=4096)
def reads_keywords(spec: str, game_name: str) -> bool:
    """Whether the player of a spec is a script that reads messages by keywords, without a reader."""
    try:
        wanted = scripted_name(spec) in players_with_reader(game_name)
        made: Player | None = player(spec, game_name) if wanted else None
    except ValueError:  # no spec of ours
        return False
    return made is not None and getattr(made, READER) is None
