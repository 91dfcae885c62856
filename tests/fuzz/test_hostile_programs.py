"""Matches against hostile programs: each ends with moves or a declared failure, and leaves nothing behind."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import econzoo
from econzoo.baselines import Player
from econzoo.envs.core.record import Record
from econzoo.envs.families.open_source import Failure
from econzoo.envs.families.open_source.failures import MAX_TEXT_LENGTH
from econzoo.evaluate.run import EnvPool, replay
from fuzz.programs.corpus import HOSTILE, in_coin_game
from games.program_matches import sandboxed

pytestmark = sandboxed

SAMPLE = Random(1).sample(list(HOSTILE), 2)
"""Those that are always tried."""

FAILURES = {failure.label for failure in Failure if failure}

LETTERS = {"program_matrix": "CD", "program_coin": "UDLRS"}
"""What a turn may be told as; S is STAY, after a failure."""

CONTROLS = (("tit-for-tat", "late-defector"), ("prudent-bot", "random"))
"""Players of matches that must come out the same after every attack."""

TURNS = 3


class Submits(Player):
    """Submits one source, whatever happens."""

    face = "structured"

    def __init__(self, source: str) -> None:
        super().__init__("submits")
        self.source = source

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        return {"program": self.source}


@pytest.fixture(scope="module")
def pool() -> EnvPool:
    return EnvPool()


@pytest.fixture(scope="module")
def controls() -> list[Any]:
    return outcomes()


@pytest.fixture(autouse=True)
def silent(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Nothing is written to the terminal, not by workers either."""
    yield
    assert capfd.readouterr() == ("", "")


def outcomes() -> list[Any]:
    """What comes of the control matches, under the limits that were under attack."""
    records = [econzoo.play("program_matrix", list(players), seed=5, turns=6, seconds=2.0) for players in CONTROLS]
    return [(record.status, record.payoffs, record.rulings) for record in records]


def check(game: str, source: str, opponent: str, pool: EnvPool) -> None:
    """Plays a hostile program against one that simulates it, and looks at all that comes out."""
    record = econzoo.play(game, [Submits(source), opponent], rounds=1, turns=TURNS, seconds=0.3)
    check_results(record)
    assert replay(record, pool) == []
    again = Record.from_json(record.to_json())
    assert again.payoffs == record.payoffs
    assert replay(again, pool) == []


def check_results(record: Record) -> None:
    """A result has every move, and where one is none a failure with its reason, in one line."""
    assert record.status in ("finished", "forfeited"), record.reason
    assert all(map(math.isfinite, record.payoffs))
    for result in [result for ruling in record.rulings for result in ruling["results"]]:
        assert (result["failure"] == "") == (result["problem"] == "")
        if result["failure"]:
            assert result["failure"] in FAILURES
            assert result["problem"].isprintable()
            assert len(result["problem"]) <= MAX_TEXT_LENGTH
        else:
            assert len(result["moves"]) == TURNS
            assert set(result["moves"]) <= set(LETTERS[record.game])


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in SAMPLE else pytest.mark.long) for n in HOSTILE])
def test_a_match_against_a_hostile_program_ends_as_declared(name: str, pool: EnvPool, controls: list[Any]) -> None:
    check("program_matrix", HOSTILE[name], "fair-bot", pool)
    assert outcomes() == controls


@pytest.mark.long
@pytest.mark.parametrize("name", list(HOSTILE)[::3])
def test_so_does_one_in_the_coin_game(name: str, pool: EnvPool, controls: list[Any]) -> None:
    check("program_coin", in_coin_game(HOSTILE[name]), "fair-bot", pool)
    assert outcomes() == controls


def test_there_are_a_thousand_of_them_and_no_two_alike() -> None:
    assert len(HOSTILE) == len(set(HOSTILE.values())) > 1_000
