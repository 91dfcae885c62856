"""Runs every test of this folder on every registered game, and on the toys.

By default a test plays a game in its default setting and in every `EACH`-th other, and with one of the faces. Which
ones differs from test to test, so that every setting and face of every game is played; all with all is left to the
mark `long`. So are most seeds of the tests that take `seeds`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any
from zlib import crc32

import pytest

import econzoo
from conformance.playing import FACES, settings_of
from econzoo.envs.core.contract.game import Game
from toy_games import TOYS, registered

REGISTERED = {name: econzoo.game(name) for name in econzoo.games()}
GAMES = {**REGISTERED, **TOYS}
EACH = 8


def _label(setting: dict) -> str:
    return ",".join(f"{key}={value}" for key, value in setting.items()) or "default"


def _settings(turn: int) -> Iterator[Any]:
    """(game, setting) for every setting; `turn` says which ones are played by default."""
    for name, game in GAMES.items():
        for i, setting in enumerate(settings_of(game)):
            marks = [pytest.mark.long] if i and (i + turn) % EACH else []
            yield pytest.param(name, setting, id=f"{name}-{_label(setting)}", marks=marks)


def _faces(turn: int) -> Iterator[Any]:
    """(game, face) for every face; `turn` says which ones are played by default."""
    for (i, name), (k, face) in product(enumerate(GAMES), enumerate(FACES)):
        yield pytest.param(
            name, face, id=f"{name}-{face}", marks=[pytest.mark.long] if (i + k + turn) % len(FACES) else []
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    names, turn = metafunc.fixturenames, crc32(metafunc.function.__name__.encode())
    if "setting" in names:
        metafunc.parametrize(("game", "setting"), list(_settings(turn)), indirect=["game"])
    elif "game" in names and "face" in names:
        metafunc.parametrize(("game", "face"), list(_faces(turn)), indirect=["game"])
    elif "game" in names:
        metafunc.parametrize("game", list(GAMES), indirect=True)
    if "seeds" in names:
        metafunc.parametrize(
            "seeds", [range(2), pytest.param(range(2, 6), marks=pytest.mark.long)], ids=["few", "more"]
        )
    if "registered_game" in names:
        metafunc.parametrize("registered_game", list(REGISTERED.values()), ids=list(REGISTERED))


@pytest.fixture
def game(request: pytest.FixtureRequest) -> Iterator[Game]:
    """A game; toys are known to the registry while the test runs only."""
    if request.param in TOYS:
        with registered(TOYS[request.param]):
            yield TOYS[request.param]
    else:
        yield REGISTERED[request.param]
