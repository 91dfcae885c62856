"""Library of programs for the two base games: opponents for evaluation, and examples.

They are plain sources in `library/matrix` and `library/coin_game`, run in the sandbox like any other program and never
imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from econzoo.envs.core.contract import check_arguments, unknown_name
from econzoo.envs.families.open_source.interfaces import INTERFACES

__all__ = ["names", "program"]

FOLDER = "library"


@lru_cache
def load_programs(base: str) -> Mapping[str, str]:
    """Read the programs for a base game by name, in alphabetical order."""
    if base not in INTERFACES:
        raise ValueError(f"no programs for game {base!r}: expected {' or '.join(INTERFACES)}")
    sources = {file.name: file for file in (files(__package__) / FOLDER / base).iterdir() if file.name.endswith(".py")}
    return {name.removesuffix(".py"): sources[name].read_text(encoding="utf-8").strip() for name in sorted(sources)}


@check_arguments
def names(base: str) -> tuple[str, ...]:
    """Names of the programs for a base game, in alphabetical order."""
    return tuple(load_programs(base))


@check_arguments
def program(base: str, name: str) -> str:
    """Source of a program of the library.

    Raises:
        ValueError: Unknown base game or program.
    """
    if name not in load_programs(base):
        raise ValueError(unknown_name("program", name, load_programs(base), f" for {base}"))
    return load_programs(base)[name]
