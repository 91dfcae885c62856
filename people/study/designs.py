"""Published designs: the settings in which people played, each with the participant's seat."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from econzoo.envs.core.contract.validation import from_toml

DESIGNS = {"glee-human": "glee_human.toml"}
"""Design to its file."""


@cache
def games_of(design: str) -> dict[str, Any]:
    """The tables of a design by game."""
    return from_toml((files(__package__) / DESIGNS[design]).read_text(encoding="utf-8"))


def tables_of(design: str, game: str) -> list[dict[str, Any]]:
    """The settings of a design in a game, as a study's file would write them one each."""
    given = games_of(design)[game]
    return [{**market, **role} for market in _markets(given) for role in given["roles"]]


def _markets(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The main market, those that differ from it in one parameter, and those that were drawn."""
    main = dict(zip(given["names"], given["main"], strict=True))
    yield main
    for name, values in given["variants"].items():
        yield from ({**main, name: value} for value in values)
    for values in given["random"]:
        yield dict(zip(given["names"], values, strict=True))
