"""Replies at random: what is played is what the rule calls the answer, in every game and in many positions."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core import games
from econzoo.envs.core.contract import CODES, ActionSchema, Invalid, Legal
from econzoo.envs.core.faces import parse_reply, render_reply
from econzoo.envs.games.bargaining import ACTIONS
from econzoo.testing.playing import draw, encode, has_ended
from fuzz.replies import OBJECTS, TURNS, answer, replies

LEGAL = Legal((True, True, True), ((0.0, 100.0),), True)


def check(reply: str, actions: ActionSchema = ACTIONS, legal: Legal = LEGAL) -> bool:
    """Compares what is played with what the rule says; gives whether anything is."""
    move, wanted = parse_reply(reply, actions, legal), answer(reply)
    if isinstance(move, Invalid):
        assert move.code in CODES
        allowed = None if wanted is None else actions.parse(wanted, legal)
        assert wanted is None or isinstance(allowed, Invalid), f"{wanted} is the answer in {reply!r}, but: {move}"
        return False
    assert wanted is not None, f"{move} was played for {reply!r}"
    assert actions.parse(wanted, legal) == move, f"{move} was played for {wanted} in {reply!r}"
    return True


def test_what_is_played_is_what_the_rule_calls_the_answer() -> None:
    played = sum(map(check, replies(seed=1, count=4_000)))
    assert 200 < played < 3_000, "some are, some are not"


def test_so_it_is_where_lines_say_who_speaks() -> None:
    played = sum(map(check, replies(seed=2, count=2_000, others=TURNS)))
    assert 50 < played < 1_500, "some are, some are not"


# In every game

POSITIONS = 10
"""Of each game, in which replies are tried."""

BY_MOVES = [name for name in games() if econzoo.game(name).actions.source is None]
BY_PROGRAMS = [name for name in games() if name not in BY_MOVES]


def positions(name: str, seed: int) -> list[tuple[Legal, list[str]]]:
    """What is legal in positions of random matches, and replies that say some of the moves."""
    env, rng, found = econzoo.make(name, face="chat"), np.random.default_rng(seed), []
    while len(found) < POSITIONS:
        env.reset(seed=seed + len(found))
        while env.agents and len(found) < POSITIONS:
            agent = env.agent_selection
            if has_ended(env):
                env.step(None)
                continue
            moves = [draw(rng, env.game, env.legal(agent)) for _ in range(4)]
            found.append((env.legal(agent), [render_reply(env.game.actions, move) for move in moves]))
            env.step(encode(env, agent, moves[0]))
    return found


def changed(rng: Random, objects: list[str]) -> list[str]:
    """These objects, and others with numbers and keys that nobody may play, or with some that somebody may."""
    digits = [str(rng.choice((0, 1, 7, -1, 0.5, 1e9, 10**30, math.nan, math.inf))) for _ in objects]
    others = [
        "".join(digit if sign == "1" else sign for sign in one) for digit, one in zip(digits, objects, strict=True)
    ]
    return [*objects, *others, *rng.sample(OBJECTS, 2), objects[0].replace(":", ": \n")]


def try_game(name: str, seed: int, count: int) -> int:
    """Tries so many replies in positions of a game; gives how many are played."""
    actions, rng = econzoo.game(name).actions, Random(seed)
    played = 0
    for number, (legal, objects) in enumerate(positions(name, seed)):
        tried: Any = replies(seed * POSITIONS + number, count // POSITIONS, changed(rng, objects))
        played += sum(check(reply, actions, legal) for reply in tried)
    return played


def test_so_it_is_in_every_game() -> None:
    for name in BY_MOVES:
        assert 10 < try_game(name, seed=1, count=300) < 290, name


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
@pytest.mark.parametrize("name", BY_MOVES)
def test_and_with_a_million_replies(name: str, seed: int) -> None:
    assert try_game(name, seed, count=1_000_000 // 10 // len(BY_MOVES) + POSITIONS) > 500


def try_programs(name: str, seed: int, count: int) -> int:
    """The same where a move is a program: one that is found has lines of the reply, and no others."""
    actions, found = econzoo.game(name).actions, 0
    for legal, programs in positions(name, seed)[:2]:
        for reply in replies(seed, count // 2, programs):
            move = parse_reply(reply, actions, legal)
            assert not isinstance(move, Invalid) or move.code in CODES
            if not isinstance(move, Invalid):
                assert set(move.program.split()) <= set(reply.split())
                found += 1
    return found


@pytest.mark.slow
def test_a_program_is_a_part_of_the_reply() -> None:
    for name in BY_PROGRAMS:
        assert try_programs(name, seed=1, count=200) > 5, name


@pytest.mark.long
@pytest.mark.parametrize("name", BY_PROGRAMS)
def test_a_program_is_a_part_of_many_a_reply(name: str) -> None:
    assert try_programs(name, seed=2, count=20_000) > 500
