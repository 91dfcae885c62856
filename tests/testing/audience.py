"""All faces reveal the same: visible parts of moves on every face, hidden parts on none.

A match is played twice, with one different move of one seat. The other seats' faces may differ at their next
observation only as far as the events that they received.
"""

from __future__ import annotations

from itertools import product
from typing import Any
from unittest import SkipTest

import numpy as np
from gymnasium.spaces import Discrete

from econzoo.envs.core.contract import Game
from econzoo.testing.playing import FACES, draw, encode, freeze, has_ended, make_raw_env
from econzoo.testing.suite import Case, check

GUIDE = "The rules"
REMEDY = "let sees(), facts() and the view agree"


def play_to_turn(env: Any, number: int, seed: int) -> np.random.Generator:
    """Play `number` turns; return the generator."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while env.moves + len(env.pending) < number and not env.over:
        step(env, rng)
    return rng


def step(env: Any, rng: np.random.Generator, move: Any = None) -> None:
    agent = env.agent_selection
    if has_ended(env):
        env.step(None)
    else:
        # On a grid, so that a move is the same on the numeric face.
        chosen = draw(rng, env.game, env.legal(agent), 21) if move is None else move
        env.step(encode(env, agent, chosen))


def two_moves(env: Any, seed: int) -> list[Any]:
    """Return two legal moves that differ in their numbers, or in their kind if they have none."""
    rng, legal = np.random.default_rng(seed), env.legal(env.agent_selection)
    moves = [draw(rng, env.game, legal, 21) for _ in range(30)]
    return [moves[0], *[move for move in moves if env.actions.move(move) != env.actions.move(moves[0])][:1]]


def observe_after_move(
    game: Game, faces: tuple[str, ...], looker: int, turn: int, which: int, seed: int
) -> tuple[Any, Any] | None:
    """Return a seat's next observation after one of two moves, and the events that it received.

    Play is random until the move has been played and the observing seat is to move. None: it never is, so there is
    nothing to compare.
    """
    env = make_raw_env(game, face=faces)
    rng, agent = play_to_turn(env, turn, seed), env.possible_agents[looker]
    if env.over or has_ended(env) or env.agent_selection == agent:
        return None
    moves, count = two_moves(env, seed), len(env.events)
    if len(moves) < 2:
        return None
    step(env, rng, moves[which])
    while not env.over and (env.agent_selection != agent or len(env.events) == count):
        step(env, np.random.default_rng([seed, env.moves]))
    visible = env.visible_events(looker), env.view(looker)
    return None if env.over or has_ended(env) else (freeze(env.observe(agent)), visible)


def allowed_differences(one: tuple[Any, Any], other: tuple[Any, Any]) -> set[bool]:
    """Whether faces differ: all must if the events differ, none may if events and view are equal."""
    if one[0] != other[0]:
        return {True}
    return {True, False} if one[1] != other[1] else {False}


@check(GUIDE, REMEDY, seed=(0, Case(1, False), Case(2, False)))
def faces_show_what_a_seat_may_see_and_nothing_else(game: Game, seed: int) -> None:
    if game.actions.source is not None:
        raise SkipTest("texts have no numeric actions")
    if len(game.actions.kinds) == 1 and not game.actions.kinds[0].numbers:
        raise SkipTest("moves differ only in messages")
    seats, compared = game.facts.seats, 0
    # Large tables repeat themselves: fewer turns there.
    each = 1 + seats // 4
    for turn, looker in product(range(seed % each, 2 * seats, each), range(min(seats, 3))):
        differs: dict[str, bool] = {}
        may = {True, False}
        for face in FACES:
            faces = tuple(face if seat == looker else "structured" for seat in range(seats))
            both = [observe_after_move(game, faces, looker, turn, which, seed) for which in (0, 1)]
            if None in both:
                continue
            (one, received_one), (other, received_other) = both  # type: ignore[misc]
            differs[face], may = one != other, allowed_differences(received_one, received_other)
        assert set(differs.values()) <= may, f"turn {turn}, seat {looker}: differences {differs}; allowed: {may}"
        compared += bool(differs)
    assert compared or seats == 1


@check(GUIDE, REMEDY)
def numbers_of_a_seat_tell_nothing_private(game: Game) -> None:
    """Other seats' action indices mean the same moves in two games that a seat cannot distinguish."""
    for secret in game.cases.secrets:
        one, other = (make_raw_env(game, **params) for params in (secret.first_params, secret.second_params))
        for env in (one, other):
            env.reset(seed=0)
        for agent in one.possible_agents:
            if agent == one.possible_agents[secret.seat]:
                continue
            kinds = (True,) * len(game.actions.kinds)
            space = one.action_space(agent)
            numbers = range(100) if isinstance(space, Discrete) else [space.sample() for _ in range(100)]
            moves = [
                [env.face(agent).decode(number, env.legal(agent)._replace(kinds=kinds)) for number in numbers]
                for env in (one, other)
            ]
            assert moves[0] == moves[1], f"the numbers of {agent} tell {secret.description}"
