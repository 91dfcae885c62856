"""Written programs for the two base games: opponents to measure against, and examples of what programs can do.

They are plain sources in the folders `library/matrix` and `library/coin_game`. They run in the sandbox like any other
program and are never imported.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files

from econzoo.envs.families.open_source.interfaces import INTERFACES

__all__ = ["names", "program"]

FOLDER = "library"


@lru_cache
def names(base: str) -> tuple[str, ...]:
    """Names of the programs for a base game, in order of the alphabet.

    Args:
        base: ``"matrix"`` or ``"coin_game"``.

    Raises:
        ValueError: No base game has this name.
    """
    if base not in INTERFACES:
        raise ValueError(f"no programs for a game {base!r}; there are some for: {', '.join(INTERFACES)}")
    found = (files(__package__) / FOLDER / base).iterdir()
    return tuple(sorted(file.name.removesuffix(".py") for file in found if file.name.endswith(".py")))


@lru_cache
def program(base: str, name: str) -> str:
    """Source of a program.

    Args:
        base: ``"matrix"`` or ``"coin_game"``.
        name: One of `names`.

    Raises:
        ValueError: There is no such base game, or no such program for it.
    """
    if name not in names(base):
        near = get_close_matches(name, names(base), n=3)
        raise ValueError(f"no program {name!r} for {base}; there are: {', '.join(near or names(base))}")
    return (files(__package__) / FOLDER / base / f"{name}.py").read_text(encoding="utf-8").strip()
