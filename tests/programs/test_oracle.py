"""A program cannot know the random numbers of the other, though it knows how they are derived and from what."""

from __future__ import annotations

from pathlib import Path

import pytest

import econzoo
from econzoo.envs.core.contract import streams
from econzoo.envs.families.open_source import RandomStreams
from econzoo.envs.families.open_source.random_streams import may_use_random
from econzoo.envs.families.open_source.sandbox import Sandbox

ORACLE = (Path(__file__).parent / "oracle.py").read_text(encoding="utf-8")
TOLD = "SEED, COST, PACE = 0, 2**14, 100"
COIN = """
import random


def strategy_function(my_history, opp_history, my_program_code, opponent_program_code):
    return random.choice(["C", "D"])
"""
GAME, TURNS, SEED = econzoo.game("program_matrix"), 50, 7


def won(pace: int, monkeypatch: pytest.MonkeyPatch, cost: int = streams.SCRYPT_COST["n"]) -> float:
    """Points of the oracle, who wants to match pennies, in 50 turns against a coin."""
    monkeypatch.setitem(streams.SCRYPT_COST, "n", cost)
    streams.stretch_seed.cache_clear()
    params = GAME.params(stage_game="matching-pennies", turns=TURNS, seconds=60.0)[1]  # however busy the machine is
    oracle = ORACLE.replace(TOLD, f"SEED, COST, PACE = {SEED}, {cost}, {pace}")
    actions = [GAME.actions.kinds[0].model(source) for source in (oracle, COIN)]
    ruling = GAME.referee.ruling(params, GAME.rules.initial(params), actions, SEED)
    streams.stretch_seed.cache_clear()
    assert TOLD in ORACLE
    assert not ruling.results[0].failed
    return ruling.results[0].payoff


def test_the_oracle_would_win_every_turn_if_it_were_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert won(1000, monkeypatch, cost=8) == TURNS


RANDOM = 4 * TURNS**0.5
"""Four standard deviations of random play."""


def test_the_oracle_earns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert abs(won(2, monkeypatch)) < RANDOM


@pytest.mark.long
def test_the_oracle_earns_nothing_with_all_the_time_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    assert abs(won(60, monkeypatch)) < RANDOM


def test_neither_program_can_be_written_to_know_its_luck() -> None:
    """The seeds follow from both sources: with other sources they are others."""
    seeds = [
        RandomStreams(SEED).program_seeds(pair)
        for pair in ((ORACLE, COIN), (ORACLE + "\n", COIN), (ORACLE, COIN + "\n"))
    ]
    assert len({seed for pair in seeds for seed in pair}) == 6


WAYS = {
    "str(random.random())": True,
    "str(ｒａｎｄｏｍ.random())": True,  # noqa: RUF001 (names may be written so)
    "str(getattr(json, 'ran' + 'dom', None))": False,
    "str(__import__('ran' + 'dom'))": False,
    "str(globals())": False,
    "str(hash('C'))": False,
    "str(id(re))": False,
    "repr(strategy_function)": False,
    "''.join({'a', 'b', 'c', 'd', 'e', 'f', 'g'})": False,
    "str(object())": False,
    "str(json.dumps({'a': [1.5]}))": False,
    "str(re.compile('a'))": False,
}
"""What a program might return, and whether it could depend on random numbers."""


def test_only_who_names_the_module_can_draw() -> None:
    """Seeds of two programs of which neither can draw are made without the work, and nothing comes of them."""
    for way, drawn in WAYS.items():
        source = f"def strategy_function(mine, other, own_code, other_code):\n    return {way}\n"
        with Sandbox() as sandbox:
            answers = [sandbox.load(source, seed, "").answer([], [], "", "", allowed=str) for seed in range(3)]
        assert may_use_random(source) is drawn, way
        assert len({str(answer) for answer in answers}) == (3 if drawn else 1), way


def test_two_who_cannot_draw_are_spared_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams.hashlib, "scrypt", None)
    silent = COIN.replace("random", "re")
    assert len(set(RandomStreams(SEED).program_seeds((silent, silent)))) == 2
    with pytest.raises(TypeError, match="not callable"):
        RandomStreams(SEED).program_seeds((silent, COIN))
