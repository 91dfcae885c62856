"""Compiled games of several fields and of mixed turns stand, step by step, where the scalar ones stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.constructors import make_raw
from econzoo.envs.core.contract import SEVERAL, UNKNOWN, Choice, Game, Invalid
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.vector import BatchNumbers, GameBatch, VectorGameEnv
from refusals import refuses
from toy_games import BUDGET, DIVISION, SEVERAL_FIELDS, TALK_THEN_BID, TENDER, register_temporarily

pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("interpreted")
# A game takes about eight seconds to compile: one is enough by default, that with the most in it.
NAMES = [name if name == "punish" else pytest.param(name, marks=pytest.mark.long) for name in SEVERAL_FIELDS]
GAMES, STEPS = 6, 25

SMALL = 9
"""Values of an amount where whole masks are compared."""


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    with register_temporarily(*SEVERAL_FIELDS.values()):
        yield


def plain(env: GameEnv, kind: int, values: Any) -> dict[str, Any]:
    """A move of numbers as a dictionary, whether or not it can be played."""
    if kind not in range(len(env.actions.kinds)):
        return {"kind": "?"}
    one, left = env.actions.kinds[kind], list(values)
    out: dict[str, Any] = {"kind": one.name}
    for name, mark in one.numbers.items():
        own = [left.pop(0) for _ in range(env.actions.group if name in one.groups else 1)]
        if isinstance(mark, Choice):
            own = [mark.options[int(x)] if x in range(len(mark.options)) else "?" for x in own]
        out[name] = own if name in one.groups else own[0]
    return out


class Twin:
    """A scalar game that is given the moves of one game of a batch, and its draws of nature."""

    def __init__(self, batch: GameBatch, number: int) -> None:
        self.batch, self.number = batch, number
        self.env = GameEnv(batch.game, face="structured", max_retries=0, on_error=batch.on_error)
        self.reset()

    def _nature(self) -> list[float]:
        state = self.batch.position(self.number)[1]
        fresh = self.batch.game is TALK_THEN_BID and not state.over and state.claim == UNKNOWN
        return [float(state.seller), state.good] if fresh else []

    def reset(self) -> None:
        values = self.batch.position(self.number)[1].values if self.batch.game is TENDER else ()  # drawn once a match
        self.env.reset(seed=0, options={"chance": [*values, *self._nature()]})

    def step(self, kinds: np.ndarray, values: np.ndarray) -> None:
        """Plays the moves of all who are to move; those of others are not used."""
        env = self.env
        env._nature.script += self._nature()
        movers = list(env._cycle)
        for seat in movers:
            while not env.over and env.terminations[env.agent_selection]:
                env.step(None)
            if not env.over:
                env.step(plain(env, int(kinds[seat]), values[seat]))


def some_moves(batch: GameBatch, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Kinds (games, seats) and numbers (games, seats, width), a third of them no moves."""
    shape, width = (GAMES, batch.seats), batch.actions.width
    kinds = rng.choice([*range(len(batch.actions.kinds)), -1, 7], size=shape)
    values = rng.choice([0.0, 1.0, 1.0, 2.0, 3.0, 1.5, -1.0, 25.0], size=(*shape, width))
    for seat in range(batch.seats):
        legal, bounds, *_ = batch.legal_arrays(np.full(GAMES, seat), np.arange(GAMES))
        for game in range(GAMES):
            possible = np.flatnonzero(legal[game])
            if len(possible) and rng.random() < 0.7:
                kinds[game, seat] = kind = rng.choice(possible)
                for k, mark in enumerate(batch.actions.marks[kind]):
                    pair = tuple(bounds[game, batch.actions.first[kind] + k])
                    values[game, seat, k] = mark.sample(pair, rng)
    return kinds, values


def played(batch: GameBatch, kinds: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The moves as the batch takes them: one a game where one seat moves at a time."""
    rows, seats = np.arange(GAMES), np.maximum(batch.to_act, 0)
    return (kinds, values) if batch.turns.has_joint_moves else (kinds[rows, seats], values[rows, seats])


def stands_equal(batch: GameBatch, number: int, twin: Twin) -> None:
    env, rules = twin.env, batch.game.rules
    params, state = batch.position(number)
    assert (params, state) == (env.params, env.game_state)
    assert batch.to_act[number] == rules.to_act(params, state)
    for seat in range(batch.seats):
        here = np.array([number])
        expected = np.array(rules.features(rules.observe(params, state, seat)), np.float32)
        assert np.array_equal(batch.observe(seat, here)[0], expected)
        assert tuple(batch.legal(seat, here)[0]) == tuple(rules.legal(params, state, seat))
        assert [tuple(pair) for pair in batch.bounds(seat, here)[0]] == list(rules.bounds(params, state, seat))


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_stands_where_the_scalar_game_stands(name: str) -> None:
    """Also with errors: moves of no kind, out of bounds, not whole, refused by the rules."""
    for on_error in ("default", "forfeit"):
        batch = GameBatch(name, GAMES, seed=1, on_error=on_error, autoreset=False)
        twins = [Twin(batch, number) for number in range(GAMES)]
        rng, errors, ended, turns = np.random.default_rng(2), 0, 0, set()
        for _ in range(STEPS):
            kinds, values = some_moves(batch, rng)
            turns |= {min(turn, 0) for turn in batch.to_act.tolist()}
            payoffs, done = batch.step(*played(batch, kinds, values))
            for number, twin in enumerate(twins):
                twin.step(kinds[number], values[number])
                assert done[number] == twin.env.over
                assert tuple(batch.errors[number]) == tuple(twin.env.errors)
                if done[number]:
                    assert tuple(payoffs[number]) == twin.env.payoffs
                    errors, ended = errors + sum(twin.env.errors), ended + 1
                    batch.reset(where=np.arange(GAMES) == number)
                    twin.reset()
                stands_equal(batch, number, twin)
        assert min(errors, ended) > 0
        assert turns == {"division": {0}, "budget": {SEVERAL}, "tender": {SEVERAL}}.get(name, {0, SEVERAL})


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "kinds", "values", "told"),
    [
        (DIVISION, [0], [[1.0, 2.0, 3.0]], [1.0, 2.0, 3.0]),
        (
            BUDGET,
            [[0, 1]],
            [[[8.0, 3.0, 0.0], [0.0] * 3]],
            [8.0, 3.0, 0.0],
        ),
    ],
    ids=["leaves nothing", "too dear"],
)
def test_a_refused_move_is_named(game: Game, kinds: Any, values: Any, told: list[float]) -> None:
    batch = GameBatch(game, 1, on_error="raise")
    before = batch.position(0)
    with refuses(ValueError, told, "seat 0", "game 0"):
        batch.step(np.array(kinds), np.array(values))
    assert batch.position(0) == before


@pytest.mark.parametrize(
    ("name", "grid"),
    [
        ("punish", SMALL),
        *[pytest.param(name, SMALL, marks=pytest.mark.long) for name in ("division", "budget", "talk_then_bid")],
        pytest.param("budget", {"price": 3000}, marks=pytest.mark.long, id="parts"),
    ],
)
def test_numbers_and_masks_are_those_of_the_numeric_face(name: str, grid: Any) -> None:
    batch = GameBatch(name, GAMES, seed=3)
    numbers, env, rng = BatchNumbers(batch, grid), make_raw(name, grid=grid), np.random.default_rng(4)
    env.reset(seed=0)
    for _ in range(8):
        for seat, agent in enumerate(env.possible_agents):
            masks = numbers.masks(seat)
            for number in range(GAMES):
                env.game_state = batch.position(number)[1]
                legal, face = env.legal(agent), env.face(agent)
                assert np.array_equal(masks[number], face.mask(legal))
                if any(legal.kinds):
                    action = env.action_space(agent).sample(face.mask(legal))
                    kinds, values = numbers.decode(np.array([action] * GAMES), seat)
                    move = face.decode(action, legal)
                    assert isinstance(move, Invalid) or (kinds[number], tuple(values[number])) == env.actions.move(move)
        batch.step(*played(batch, *some_moves(batch, rng)))


def legal_actions(seen: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Of an opponent: the last one of the list that is legal."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.long
def test_self_play_over_groups() -> None:
    """Every offer asks for the most that may be asked for, and is accepted: the seats earn 4 + 2 * 3 + 2 and 2."""
    env = VectorGameEnv("division", 2)
    seen, infos = env.reset(seed=0)
    assert infos["seat"].tolist() == [0, 0]
    offers = 2 * 3 * 4
    grid = np.argwhere(np.ones((6, 6, 6)))
    keep = np.flatnonzero((grid == (1, 2, 2)).all(axis=1))[0]
    assert seen["action_mask"][0, : 6**3].sum() == offers - 1, (
        "all that are within the items but the one for everything"
    )
    seen, *_, infos = env.step(np.array([keep, keep]))
    assert infos["seat"].tolist() == [1, 1]
    assert seen["action_mask"][0].nonzero()[0].tolist() == [6**3, 6**3 + 1]
    _, rewards, ended, _, infos = env.step(np.array([6**3, 6**3]))
    assert ended.all()
    assert infos["payoff"].tolist() == [[4.0 + 6.0 + 2.0, 2.0]] * 2
    assert rewards.tolist() == [2.0 / (2 + 2 + 6)] * 2


@pytest.mark.parametrize("name", ["punish", pytest.param("talk_then_bid", marks=pytest.mark.long)])
def test_a_learner_in_a_game_of_mixed_turns(name: str) -> None:
    """It is asked only where it is to move; the others move before, beside and after it."""
    env = VectorGameEnv(name, 4, seat=1, opponent=legal_actions, autoreset_mode="SameStep")
    rng, ended = np.random.default_rng(0), 0
    seen, infos = env.reset(seed=1)
    for _ in range(30):
        assert set(infos["seat"].tolist()) == {1}
        assert seen["action_mask"].any(axis=1).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen["action_mask"]])
        seen, _, over, _, infos = env.step(actions)
        if over.any():
            errors = infos["final_info"]["errors"][over]
            assert not errors.any()
            ended += over.sum()
    assert ended > 3


@pytest.mark.long
def test_actions_of_several_parts() -> None:
    """Where a kind of move has too many combinations, in the compiled environment of `econzoo.make_vec` too."""
    env = econzoo.make_vec("budget", 3, grid={"price": 3000}, seat=0, opponent=staying)
    assert env.single_action_space.nvec.tolist() == [2, 3000, 4, 2]
    seen, _ = env.reset(seed=0)
    assert seen["action_mask"].shape == (3, 2 + 3000 + 4 + 2)
    assert seen["action_mask"][0, 3002:3006].tolist() == [1, 1, 1, 0], "3 units are for sale"
    order = [0, 2999, 1, 1]  # at the worth of 10, two units, in the south
    env.step(np.array([order, order, [1, 0, 0, 0]]))
    *_, infos = env.step(np.array([[1, 0, 0, 0]] * 3))
    assert infos["payoff"].tolist() == [[20.0, 20.0]] * 3, "a unit costs what it is worth"
    assert infos["errors"].tolist() == [[0, 0]] * 3
    with refuses(ValueError, 4, 0, [2, 3000, 4, 2]):
        env.step(np.array([[0, 3000, 0, 0]] * 3))


def staying(seen: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An opponent that orders nothing."""
    return np.array([[1, 0, 0, 0]] * len(seen))
