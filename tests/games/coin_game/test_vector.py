"""The Coin Game many matches at once: step by step where the scalar rules stand, with nature's moves of either."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from econzoo.envs.core.contract import CHANCE, DONE, SEVERAL, Move
from econzoo.envs.core.vector import GameBatch
from econzoo.envs.games.coin_game import rules

pytest.importorskip("numba")
pytestmark = pytest.mark.usefixtures("interpreted")

GAMES = 48
SIZES, ROUNDS = np.array([2, 3, 3, 5] * 12), np.array([1, 4, 9] * 16)


@pytest.fixture(scope="module")
def batch() -> Any:
    """Boards of different sizes side by side; compiled once for all tests of this file."""
    markets = [
        {"size": int(size), "rounds": int(rounds), "known": bool(i % 5)}
        for i, (size, rounds) in enumerate(zip(SIZES, ROUNDS, strict=True))
    ]
    return GameBatch("coin_game", GAMES, markets, seed=3, autoreset=False)


def with_chance_of(p: rules.Params, s: rules.State, stands: rules.State) -> rules.State:
    """The position after nature's moves, as another position says that they were."""
    while rules.to_act(p, s) == CHANCE:
        missing = stands.coin[0] if s.coin[0] == rules.NO_CELL else stands.coin[1]
        assert missing in {int(cell) for cell, _ in rules.chance(p, s)}
        s = rules.apply(p, s, (Move(CHANCE, (float(missing),)),))
    return s


def test_a_batch_plays_by_the_rules(batch: GameBatch) -> None:
    batch.reset(seed=3)
    rng, came_back = np.random.default_rng(0), 0
    for _ in range(10):
        before = [batch.position(number) for number in range(GAMES)]
        kinds = rng.integers(4, size=(GAMES, 2))
        payoffs, done = batch.step(kinds)
        for number, (p, s) in enumerate(before):
            if rules.to_act(p, s) != SEVERAL:
                assert not done[number]
                continue
            chosen = tuple([Move(int(kind), (0.0,)) for kind in kinds[number]])
            then, stands = rules.apply(p, s, chosen), batch.position(number)[1]
            came_back += rules.to_act(p, then) == CHANCE
            then = with_chance_of(p, then, stands)
            assert stands == then
            assert [type(x) for x in stands] == [type(x) for x in then]
            assert done[number] == then.over
            assert tuple(payoffs[number]) == (rules.payoffs(p, then) if then.over else (0.0, 0.0))
            for seat in (0, 1):
                seen = np.array(rules.features(rules.observe(p, then, seat)), np.float32)
                assert np.array_equal(batch.observe(seat, np.array([number]))[0], seen)
                assert tuple(batch.legal(seat, np.array([number]))[0]) == rules.legal(p, then, seat)
    assert not batch.errors.any()
    assert came_back > 50
    assert all(rules.to_act(*batch.position(number)) == DONE for number in range(GAMES))


def test_unusable_steps_are_counted_and_stand_for_a_step_up(batch: GameBatch) -> None:
    batch.reset(seed=4)
    kinds = np.full((GAMES, 2), rules.LEFT)
    kinds[::2, 0], kinds[1::2, 0] = rules.STAY, -1
    before = [batch.position(number) for number in range(GAMES)]
    batch.step(kinds)
    assert (batch.errors == [1, 0]).all()
    for number, (p, s) in enumerate(before):
        a, b = batch.position(number)[1].player
        assert (a, b) == (rules.move_cell(p, s.player[0], rules.UP), rules.move_cell(p, s.player[1], rules.LEFT))


def test_a_batch_places_everything_evenly() -> None:
    wide = GameBatch("coin_game", 2700, {"rounds": 1}, seed=1)
    states = [wide.position(number)[1] for number in range(2700)]
    cells = np.array([(*state.player, *state.coin) for state in states])
    for column in cells.T:
        counts = np.bincount(column, minlength=9)
        assert (abs(counts - 300) < 5 * np.sqrt(2700 * 8 / 81)).all()  # five standard deviations
