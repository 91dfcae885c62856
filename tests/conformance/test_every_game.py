"""Runs every check of the conformance suite on every registered game, and on the toys.

A check is run with one of the faces and in two settings, the default and another one; which ones differs from check to
check, so that every setting and face of every game is played; on a toy a twelfth of the checks are run. All faces are
left to the mark `slow`, with a twelfth of the other settings, options and seeds of each check; all with all, that of
toys, processes of their own, more seeds and more of what is compiled, which take minutes, to the mark `long`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import groupby
from typing import Any
from unittest import SkipTest
from zlib import crc32

import pytest

from econzoo.envs.core.contract import streams
from econzoo.testing import Check, checks_of
from econzoo.testing.suite import PARTS
from loops import loops_compiled
from toy_games import GAMES, TOYS

COMPILED = "pennies"
"""The game whose loops are compiled by default; those of the others run as Python then."""

PROCESSES = "bargaining"
"""The game that is played in processes of their own, which takes seconds to start."""

MANY = {"setting", "options", "seed"}
"""Arguments with so many values that `slow` plays a twelfth of them, another one in each check."""

OURS = ("package_files", "simulations")
"""Modules that are about games of this package."""


def mark_of(one: Check) -> str:
    """The mark of a check, or nothing if it is run by default."""
    if len(one.arguments.get("seeds", range(1))) > 1:
        return "long"
    if one.part == "compilation":
        if one.quick and one.game.name == COMPILED:
            return ""
        is_slow = one.game.name not in TOYS and one.name.endswith("is_the_scalar_game")
        return "slow" if is_slow and (one.quick or is_drawn(one)) else "long"
    if one.game.name in TOYS:
        return "" if one.quick and crc32(f"{one.game.name}-{one.name}".encode()) % 12 == 0 else "long"
    if one.name.endswith("in_processes_of_their_own_are_the_same") and one.game.name != PROCESSES:
        return "long"
    return "" if one.quick else "slow" if is_drawn(one) else "long"


def is_drawn(one: Check) -> bool:
    """Whether a check that is not run by default is among those that `slow` takes."""
    turn = sum(crc32(text.encode()) for text in (one.label, f"{one.game.name}-{one.name}"))
    return not MANY & {*one.arguments} or turn % 12 == 0


def cases() -> Iterator[Any]:
    """The cases of each check on each game, by their mark; and whether loops over many games are compiled."""
    for part in PARTS:
        for game in GAMES.values():
            if part in OURS and game.name in TOYS:
                continue
            for name, every in groupby(checks_of(game, [part]), lambda one: one.name):
                label, checks = f"{game.name}-{name}", sorted(every, key=mark_of)
                if part == "compilation" and game.name != COMPILED and "edges" not in name:
                    yield pytest.param([one for one in checks if one.quick], False, id=f"{label}-interpreted")
                for mark, chosen in groupby(checks, mark_of):
                    marks = [getattr(pytest.mark, mark)] if mark else []
                    yield pytest.param([*chosen], True, id=f"{label}-{mark}".strip("-"), marks=marks)


@pytest.fixture(autouse=True)
def _little_work(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Seeds of programs cost no work, but where another process derives them too."""
    if "in_processes" in request.node.name:
        yield
        return
    monkeypatch.setattr(streams, "SCRYPT_COST", {"n": 2, "r": 1, "p": 1})
    streams.stretch_seed.cache_clear()
    yield
    streams.stretch_seed.cache_clear()


@pytest.mark.parametrize(("checks", "compiled"), list(cases()))
def test_conformance(checks: list[Check], compiled: bool) -> None:
    """A failure has the case as a note."""
    skipped = []
    for one in checks:
        try:
            with nullcontext() if compiled else loops_compiled(False):
                one()
        except SkipTest as reason:
            skipped.append(reason)
    if len(skipped) == len(checks):
        raise skipped[0]
