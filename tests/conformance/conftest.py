"""Runs every module of the conformance suite on every registered game, and on the toys.

By default a check plays a game in its default setting and in some others, and with one of the faces; which ones differs
from check to check, so that every setting and face of every game is played; on a toy a third of the checks are
run. All with all is left to the mark `long`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import pytest

import econzoo
from econzoo.testing import Check, checks_of
from toy_games import TOYS

GAMES = {**{name: econzoo.game(name) for name in econzoo.games()}, **TOYS}

COSTLY = {"compiled": ("pennies", "punish", "matrix")}
"""Games with which a module is tried by default, where every game costs seconds."""

OURS = ("around", "simulations")
"""Modules that are about games of this package."""


def chosen(one: Check) -> bool:
    """Whether a check is run on a toy by default: a third of them are, another one on each toy."""
    return crc32(str(one).encode()) % 3 == 0


def _checks(part: str) -> Iterator[Any]:
    for game in GAMES.values():
        if part in OURS and game.name in TOYS:
            continue
        for one in checks_of(game, [part]):
            quick = one.quick and game.name in COSTLY.get(part, GAMES) and (game.name not in TOYS or chosen(one))
            yield pytest.param(one, id=str(one), marks=[] if quick else pytest.mark.long)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "check" in metafunc.fixturenames:
        metafunc.parametrize("check", list(_checks(metafunc.module.PART)))
