"""Runs every check of the conformance suite on every registered game, and on the toys.

A check is run with one of the faces and in two settings, the default and another one; which ones differs from check to
check, so that every setting and face of every game is played; on a toy a third of the checks are run. All with all is
left to the mark `long`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any
from unittest import SkipTest
from zlib import crc32

import pytest

from econzoo.testing import Check, checks_of
from econzoo.testing.suite import PARTS
from toy_games import GAMES, TOYS

TRIED_ON = {"compiled": ("pennies", "matrix")}
"""Games with which a module is tried by default, where every game costs seconds."""

OURS = ("around", "simulations")
"""Modules that are about games of this package."""


def by_default(one: Check) -> bool:
    """Whether a check is run unless all are wanted."""
    if one.part in TRIED_ON:
        return one.quick and one.game.name in TRIED_ON[one.part]
    return one.quick and (one.game.name not in TOYS or crc32(f"{one.game.name}-{one.name}".encode()) % 3 == 0)


def cases() -> Iterator[Any]:
    """The cases of each check on each game: those that are run by default, and the others."""
    for part in PARTS:
        for game in GAMES.values():
            if part in OURS and game.name in TOYS:
                continue
            for name, every in groupby(checks_of(game, [part]), lambda one: one.name):
                chosen: dict[bool, list[Check]] = {True: [], False: []}
                for one in every:
                    chosen[by_default(one)].append(one)
                if chosen[True]:
                    yield pytest.param(chosen[True], id=f"{game.name}-{name}")
                if chosen[False]:
                    yield pytest.param(chosen[False], id=f"{game.name}-{name}-rest", marks=pytest.mark.long)


@pytest.mark.parametrize("checks", list(cases()))
def test_conformance(checks: list[Check]) -> None:
    """A failure has the case as a note."""
    skipped = []
    for one in checks:
        try:
            one()
        except SkipTest as reason:
            skipped.append(reason)
    if len(skipped) == len(checks):
        raise skipped[0]
