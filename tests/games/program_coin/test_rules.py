"""The rules of the open-source coin game: meta-rounds by hand, and against the coin game's own environment."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, UNKNOWN, Move
from econzoo.envs.games.program_coin import GAME, rules

KINDS = "UDLRS"


def params(**given: Any) -> rules.Params:
    return GAME.params(**given)[1]


def moves_of(*told: int | str) -> tuple[Move, ...]:
    """Moves of a meta-round: a number is a cell that nature chose, two letters are a turn of A and B."""
    moves: list[Move] = []
    for one in told:
        if isinstance(one, int):
            moves.append(Move(CHANCE, (float(one),)))
        else:
            moves += [Move(KINDS.index(x), (4.0 * (x == "S"),)) for x in one]
    return tuple(moves)


def after(p: rules.Params, *meta_rounds: Sequence[int | str]) -> rules.State:
    s = rules.initial(p)
    for told in meta_rounds:
        assert rules.to_act(p, s) == SEVERAL
        s = rules.apply(p, s, moves_of(*told))
    return s


# The board of 3 x 3 cells:   0 1 2
#                             3 4 5
#                             6 7 8
ONE_TURN = [
    # A, B, red, blue, turn, where coins come back: points, own coins, others' coins
    ("nobody takes a coin", [0, 8, 4, 4, "RL"], (0, 0), (0, 0), (0, 0)),
    ("A takes its own", [0, 8, 1, 4, "RL", 0], (1, 0), (1, 0), (0, 0)),
    ("A takes the other's", [0, 8, 4, 1, "RL", 0], (1, -2), (0, 0), (1, 0)),
    ("B takes the other's", [0, 8, 7, 4, "RL", 0], (-2, 1), (0, 0), (0, 1)),
    ("each its own", [0, 8, 1, 7, "RL", 0, 0], (1, 1), (1, 1), (0, 0)),
    ("each the other's", [0, 8, 7, 1, "RL", 0, 0], (-1, -1), (0, 0), (1, 1)),
    ("both on the red coin", [0, 2, 1, 4, "RL", 0], (-1, 1), (1, 0), (0, 1)),
    ("A takes both on one cell", [0, 8, 1, 1, "RL", 0, 0], (2, -2), (1, 0), (1, 0)),
    ("both take both", [0, 2, 1, 1, "RL", 0, 0], (0, 0), (1, 1), (1, 1)),
    ("over the edge", [0, 8, 2, 6, "LR", 0, 0], (1, 1), (1, 1), (0, 0)),
    ("up and down over the edge", [0, 8, 6, 2, "UD", 0, 0], (1, 1), (1, 1), (0, 0)),
    ("places change", [0, 1, 1, 0, "RL", 5, 5], (1, 1), (1, 1), (0, 0)),
    ("who stays on a coin takes it", [1, 8, 1, 4, "SL", 0], (1, 0), (1, 0), (0, 0)),
    ("who stays beside it does not", [0, 8, 1, 4, "SL"], (0, 0), (0, 0), (0, 0)),
    ("both stay", [0, 8, 1, 4, "SS"], (0, 0), (0, 0), (0, 0)),
]


def test_a_turn_pays() -> None:
    for what, told, points, own, others in ONE_TURN:
        p = params(rounds=1, turns=1)
        s = after(p, told)
        assert (s.score, s.last, s.own, s.others) == (points, points, own, others), (what, told)
        assert (s.over, rules.to_act(p, s)) == (True, DONE), (what, told)


def test_coins_come_back_in_the_same_turn() -> None:
    """The red coin comes back on A itself, and is taken only if A stands there after its next step."""
    p = params(rounds=1, turns=3)
    board = [0, 8, 1, 5]
    leaves = after(p, [*board, "RL", 1, "RL", "RL"])
    stays = after(p, [*board, "RL", 1, "SL", 1, "SL", 1])
    returns = after(p, [*board, "RL", 1, "RL", "LR", 0])
    assert [s.score for s in (leaves, stays, returns)] == [(1, 0), (3, 0), (2, 0)]


def test_meta_rounds_add_up_on_new_boards() -> None:
    p = params(rounds=2, turns=2)
    s = after(p, [0, 8, 1, 7, "RL", 0, 0, "SS"])
    assert (s.score, s.last, s.round, s.failed, s.over) == ((1, 1), (1, 1), 2, (1, 1), False)
    s = rules.apply(p, s, moves_of(0, 8, 4, 1, "RL", 0, "LL", 3))
    assert (s.last, s.score, s.over, s.round) == ((2, -4), (3, -3), True, 2)
    assert (s.own, s.others, s.taken, s.kept, s.failures) == ((0, 0), (2, 0), (3, 1), (1, 1), (1, 1))


def test_what_each_seat_sees() -> None:
    p = params(rounds=3, turns=2)
    first = rules.observe(p, rules.initial(p), 0)
    assert (first.own_last, first.other_last, first.own_score, first.round) == (UNKNOWN, UNKNOWN, 0.0, 1)
    s = after(p, [0, 8, 4, 1, "RL", 0, "LS", 3])  # A takes the blue coin twice
    a, b = rules.observe(p, s, 0), rules.observe(p, s, 1)
    assert (a.own_score, a.other_score) == (b.other_score, b.own_score) == (2, -4)
    assert (a.took_own, a.took_other, a.lost, a.other_took_own) == (0, 2, 0, 0)
    assert (b.took_own, b.took_other, b.lost, b.other_took_own) == (0, 0, 2, 0)
    assert (a.own_failed, a.other_failed) == (b.other_failed, b.own_failed) == (0, 1)
    assert (a.size, a.turns, a.rounds, a.round, a.over) == (3, 2, 3, 2, 0)
    for view in (a, b, first):
        numbers = rules.features(view)
        assert len(numbers) == len(rules.FEATURES)
        assert all(-1.0 <= x <= 1.0 for x in numbers)


def test_a_meta_round_is_the_coin_game() -> None:
    """Random steps and placements through the environment of `coin_game`, and through these rules."""
    for seed, size in product(range(5), (2, 3, 5)):
        rng = np.random.default_rng(seed)
        cells, turns = [float(x) for x in rng.integers(size**2, size=60)], 10
        steps = rng.integers(4, size=(turns, 2))
        env = econzoo.make_raw("coin_game", face="structured", size=size, rounds=turns)
        env.reset(seed=0, options={"chance": cells})
        told, used = [Move(CHANCE, (cell,)) for cell in cells[:4]], 4
        for pair in steps:
            for kind in pair:
                env.step({"kind": ("up", "down", "left", "right")[kind]})
            told += [Move(int(kind), (0.0,)) for kind in pair]
            told += [Move(CHANCE, (cell,)) for cell in env.chance_draws[used:]]
            used = len(env.chance_draws)
        p = params(size=size, rounds=1, turns=turns)
        s = rules.apply(p, rules.initial(p), tuple(told))
        assert rules.payoffs(p, s) == tuple(env.payoffs), (seed, size)
        assert (s.own, s.others) == (env.game_state.own, env.game_state.others), (seed, size)
        assert rules.gains(p, s) == pytest.approx(env.outcome().gains), (seed, size)
