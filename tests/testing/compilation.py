"""The rules compile, and the compiled game is bit-identical."""

from __future__ import annotations

import copy
from importlib.util import find_spec
from typing import Any
from unittest import SkipTest

import numpy as np

import econzoo
from econzoo.envs.core.contract import CHANCE, DONE, PASS, SEVERAL, Game, sample_moves, setting_of, stream
from econzoo.envs.core.faces import MultiDiscreteMoves
from econzoo.envs.core.vector import GameBatch, LearnerBatch, VectorGameEnv
from econzoo.testing.episodes import pickle_copy
from econzoo.testing.playing import check_unknown_options, expect_value_error, freeze
from econzoo.testing.suite import Case, check

MAX_TURNS = 60
INVALID_MOVE_EVERY, NO_KIND = 5, -1
"""Interval in turns at which a seat makes an invalid move, so that the default action is played."""


GUIDE = "The rules"
REMEDY = "write rules that compile, of functions in modules: the top of envs/core/vector/compiling.py says how"


@check(
    GUIDE,
    REMEDY,
    seed=(0, 1, *(Case(seed, False) for seed in range(2, 20))),
)
def the_compiled_game_is_the_scalar_game(game: Game, seed: int) -> None:
    """After every turn a batch equals the scalar rules: states, turns, legal moves, payoffs, features."""
    skip_where_nothing_compiles(game)
    for setting in ({}, *([game.cases.chance] if game.cases.chance else [])):
        public, params = game.params(**setting)
        nature = stream(setting_of(game, public), seed, "nature")
        batch = GameBatch(game, 1, setting, seed=seed, autoreset=False)
        # Moves have a seed of their own: the batch draws chance moves only, from `nature`.
        play_both(game, params, batch, nature, np.random.default_rng([seed, 1]))


def skip_where_nothing_compiles(game: Game) -> None:
    """Skip a check that needs compiled rules."""
    if not find_spec("numba"):
        raise SkipTest("numba is not installed: pip install 'econzoo[fast]'")
    if game.referee is not None:
        raise SkipTest("games with a referee cannot be compiled")


@check(GUIDE, REMEDY, clone=(pickle_copy, Case(copy.deepcopy, False)))
def a_copy_of_compiled_games_goes_on_alike(game: Game, clone: Any) -> None:
    """Copies and pickles of vectors of games continue identically, with named players and as plain arrays."""
    skip_where_nothing_compiles(game)
    env = VectorGameEnv(game.name, 3, seat="both", opponent="random", **game.cases.short)
    batch = LearnerBatch(game, 3, seat=game.facts.seats - 1, opponent="random", params=game.cases.short)
    rng = np.random.default_rng(1)
    for one, first in ((env, env.reset(seed=1)[0]["action_mask"]), (batch, batch.reset(seed=1)[1])):
        masks = first
        for start in (0, 4):
            other = clone(one)
            for step in range(start, start + 4):
                actions = sample_actions(batch.moves, masks, rng)
                results = one.step(actions)
                assert freeze(other.step(actions)) == freeze(results), f"a copy made at step {start} differs at {step}"
                masks = results[0]["action_mask"] if one is env else results[3]


def sample_actions(moves: Any, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sample an action for every game, a legal one if actions are discrete."""
    if isinstance(moves, MultiDiscreteMoves):
        return rng.integers(moves.sizes, size=(len(masks), len(moves.sizes)))
    # The largest of uniform numbers at legal places: uniform among legal actions.
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def play_both(game: Game, params: Any, batch: Any, nature: np.random.Generator, rng: np.random.Generator) -> None:
    """Play the same moves and chance moves in both; sometimes a seat makes no move."""
    rules, state = game.rules, play_nature(game, params, game.rules.initial(params), nature)
    for number in range(MAX_TURNS):
        compare(game, params, state, batch)
        turn = rules.to_act(params, state)
        if turn == DONE:
            return
        moves = sample_moves(game, params, state, turn, rng)
        movers = [i for i, move in enumerate(moves) if move.kind != PASS]
        kinds, values = np.array([move.kind for move in moves]), np.array([move.values for move in moves])
        if number % INVALID_MOVE_EVERY == INVALID_MOVE_EVERY - 1:
            kinds[movers[0]] = NO_KIND
            seat = movers[0] if turn == SEVERAL else turn
            default = batch.actions.move(game.default_action(rules.observe(params, state, seat)))
            moves = (*moves[: movers[0]], default, *moves[movers[0] + 1 :])
        columns = batch.seats if batch.turns.has_joint_moves else 1
        if len(moves) < columns:  # one seat moves now, in a game in which several do at other times
            kinds, values = np.repeat(kinds, columns), np.repeat(values, columns, axis=0)
        payoffs, done = batch.step(*((kinds, values) if columns == 1 else (kinds[None], values[None])))
        state = play_nature(game, params, rules.apply(params, state, moves), nature)
        if done[0]:
            assert tuple(payoffs[0]) == tuple(rules.payoffs(params, state)), f"payoffs after turn {number + 1}"


def play_nature(game: Game, params: Any, state: Any, nature: np.random.Generator) -> Any:
    """Return the position after chance moves, each sampled with one random number as in compiled loops."""
    while (turn := game.rules.to_act(params, state)) == CHANCE:
        state = game.rules.apply(params, state, sample_moves(game, params, state, turn, nature))
    return state


def compare(game: Game, params: Any, state: Any, batch: Any) -> None:
    """Assert that both have the same position and values."""
    rules, here = game.rules, np.zeros(1, np.int64)
    found = batch.position(0)[1]
    assert found == state, f"the compiled game stands at {found}, the scalar game at {state}"
    assert batch.to_act[0] == rules.to_act(params, state), f"to_act() differs at {state}"
    for seat in range(batch.seats):
        features = np.array(rules.features(rules.observe(params, state, seat)), np.float32)
        assert np.array_equal(batch.observe(seat, here)[0], features), f"features of seat {seat} differ at {state}"
        assert tuple(batch.legal(seat, here)[0]) == tuple(rules.legal(params, state, seat)), f"legal() at {state}"
        bounds = [tuple(pair) for pair in batch.bounds(seat, here)[0]]
        assert bounds == list(rules.bounds(params, state, seat)), f"bounds() of seat {seat} differ at {state}"


@check(GUIDE, REMEDY)
def the_compiled_game_takes_parameters_at_reset(game: Game, setting: dict[str, Any]) -> None:
    """Parameters given at `reset` are those of these games and of later ones; unknown names raise."""
    skip_where_nothing_compiles(game)
    options: dict[str, Any] = {"seat": 0, "opponent": "random", "autoreset_mode": "SameStep"}
    changed = econzoo.make_vec(game.name, 2, **options, **game.cases.short)
    check_unknown_options(game, changed)
    params = {**game.cases.short, **setting}
    try:
        changed.reset(options={"params": params})
    except ValueError as error:
        if "may not change" not in str(error):
            raise
        raise SkipTest("the setting has another shape") from None
    fresh = econzoo.make_vec(game.name, 2, **options, **params)
    fresh.action_space.seed(1)
    assert freeze(changed.reset(seed=1)) == freeze(fresh.reset(seed=1))
    for _ in range(12):
        actions = fresh.action_space.sample()
        assert freeze(changed.step(actions)[:4]) == freeze(fresh.step(actions)[:4]), "later games have them too"


@check(GUIDE, REMEDY)
def the_compiled_game_has_the_same_edges(game: Game) -> None:
    """`make_vec` rejects an action outside the space or applies ``on_error``; masks are never empty."""
    skip_where_nothing_compiles(game)
    options: dict[str, Any] = {"seat": 0, "opponent": "random"}
    env = econzoo.make_vec(game.name, 2, **options, **game.cases.short)
    with expect_value_error("invalid max_cycles=2"):
        econzoo.make_vec(game.name, 2, max_cycles=2, **options)
    shape = env.action_space.shape
    env.reset(seed=1)
    with expect_value_error("outside the action space"):
        env.step(np.full(shape, 10**6))
    for policy in ("default", "forfeit"):
        env = econzoo.make_vec(game.name, 2, on_error=policy, **options, **game.cases.short)
        env.reset(seed=1)
        env.step(np.full(shape, -1))
        errors = env.batch.errors[:, 0]
        assert (errors == 1).all()
    env = econzoo.make_vec(game.name, 4, objective="efficiency", **options, **game.cases.short)
    observation, _ = env.reset(seed=1)
    for _ in range(60):
        assert observation["action_mask"].any(axis=1).all()
        actions = np.array([env.single_action_space.sample(mask) for mask in observation["action_mask"]])
        observation, *_ = env.step(actions)
