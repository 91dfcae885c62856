"""Written programs for the two base games: opponents to measure against, and examples of what programs can do.

They are plain sources in the folders `library/matrix` and `library/coin_game`. They run in the sandbox like any other
program and are never imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files

from econzoo.envs.core.contract.validation import unknown_name
from econzoo.envs.families.open_source.interfaces import INTERFACES

__all__ = ["names", "program"]

FOLDER = "library"


@lru_cache
def load_programs(base: str) -> Mapping[str, str]:
    """The programs for a base game by name, in order of the alphabet.

    Args:
        base: ``"matrix"`` or ``"coin_game"``.

    Raises:
        ValueError: No base game has this name.
    """
    if base not in INTERFACES:
        raise ValueError(f"no programs for a game {base!r}; there are some for: {', '.join(INTERFACES)}")
    found = {file.name: file for file in (files(__package__) / FOLDER / base).iterdir() if file.name.endswith(".py")}
    return {name.removesuffix(".py"): found[name].read_text(encoding="utf-8").strip() for name in sorted(found)}


def names(base: str) -> tuple[str, ...]:
    """Names of the programs for a base game, in order of the alphabet (see `written`)."""
    return tuple(load_programs(base))


def program(base: str, name: str) -> str:
    """Source of a program of `written`.

    Raises:
        ValueError: There is no such base game, or no such program for it.
    """
    if name not in load_programs(base):
        raise ValueError(unknown_name("program", name, load_programs(base), f" for {base}"))
    return load_programs(base)[name]
