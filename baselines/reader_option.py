"""Scripted players to whom words matter: a language model that reads for them, and what they read without one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from inspect import signature

from econzoo.baselines.factory import player, scripted_name, scripted_players
from econzoo.baselines.player import Player
from econzoo.envs.core.record.spec import split_name

READER = "reader"
"""The argument of a scripted player that names the model which reads for it."""


def add_reader(specs: Iterable[str], game_name: str, reader: str | None) -> list[str]:
    """The specs, with a reader for every scripted player to whom words matter and that has none.

    Args:
        specs: Of players.
        game_name: That they play.
        reader: Spec of a language model; None: nothing changes.
    """
    return [
        spec if reader is None or not reads_keywords(spec, game_name) else _add_reader_argument(spec, reader)
        for spec in specs
    ]


def players_with_reader(game_name: str) -> list[str]:
    """Names of the scripted players of a game to whom words matter."""
    return [name for name, maker in scripted_players(game_name).items() if READER in signature(maker).parameters]


def check_reader(reader: str | None, specs: Iterable[str], game_name: str) -> None:
    """Raises `ValueError` if a reader is wanted that would read for none of the players."""
    if reader is None or any(reads_keywords(spec, game_name) for spec in specs):
        return
    names = ", ".join(players_with_reader(game_name))
    who = f"these read in {game_name}: {names}" if names else f"scripted players of {game_name} read no words"
    raise ValueError(f"--reader {reader[:80]!r} would read for nobody; {who}")


def _add_reader_argument(spec: str, reader: str) -> str:
    label, written = split_name(spec)
    name, _, rest = written.partition("(")
    inside = rest.rpartition(")")[0].strip()
    return f"{label + '=' if label else ''}{name}({inside + ', ' if inside else ''}{READER}={reader!r})"


@lru_cache(maxsize=4096)
def reads_keywords(spec: str, game_name: str) -> bool:
    """Whether the player of a spec is scripted, goes by what is said to it, and has no model that reads."""
    try:
        wanted = scripted_name(spec) in players_with_reader(game_name)
        made: Player | None = player(spec, game_name) if wanted else None
    except ValueError:  # no spec of ours
        return False
    return made is not None and getattr(made, READER) is None
