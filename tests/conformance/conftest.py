"""Runs every test of this folder on every registered game, and on the toys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import econzoo
from conformance.playing import FACES, settings_of
from econzoo.envs.core.game import Game
from toy_games import TOYS, registered

REGISTERED = {name: econzoo.game(name) for name in econzoo.games()}
GAMES = {**REGISTERED, **TOYS}


def _label(setting: dict) -> str:
    return ",".join(f"{key}={value}" for key, value in setting.items()) or "default"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    names = metafunc.fixturenames
    if "setting" in names:
        pairs = [(name, setting) for name, game in GAMES.items() for setting in settings_of(game)]
        ids = [f"{name}-{_label(setting)}" for name, setting in pairs]
        metafunc.parametrize(("game", "setting"), pairs, ids=ids, indirect=["game"])
    elif "game" in names:
        metafunc.parametrize("game", list(GAMES), indirect=True)
    if "registered_game" in names:
        metafunc.parametrize("registered_game", list(REGISTERED.values()), ids=list(REGISTERED))
    if "face" in names:
        metafunc.parametrize("face", FACES)


@pytest.fixture
def game(request: pytest.FixtureRequest) -> Iterator[Game]:
    """A game; toys are known to the registry while the test runs only."""
    if request.param in TOYS:
        with registered(TOYS[request.param]):
            yield TOYS[request.param]
    else:
        yield REGISTERED[request.param]
