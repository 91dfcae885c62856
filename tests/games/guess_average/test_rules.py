"""The rules of the guessing game: tables that a person can check by hand, and a second account of the same rules."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import econzoo
from econzoo.envs.core.contract import DONE, SEVERAL, UNKNOWN, Move
from econzoo.envs.games.guess_average import GAME, rules
from exhaustive import examples


def chosen(*numbers: float) -> tuple[Move, ...]:
    return tuple([Move(0, (float(number),)) for number in numbers])


ROUNDS = [
    # numbers: mean, target (0.8 of it), seats that win
    ((10, 20, 30, 40, 50), 30.0, 24.0, [1]),  # 20 is off by 4, 30 by 6
    ((22, 26, 10, 40, 52), 30.0, 24.0, [0]),  # equally near: the lower wins
    ((20, 20, 30, 40, 40), 30.0, 24.0, [0, 1]),  # all who chose it win together
    ((1, 1, 1, 1, 100), 20.8, 16.64, [0, 1, 2, 3]),
    ((100, 100, 100, 100, 1), 80.2, 64.16, [0, 1, 2, 3]),  # 35.84 and 63.16 away
    ((50, 50, 50, 50, 50), 50.0, 40.0, []),  # all chose the same number: nobody wins
    ((1, 1, 1, 1, 1), 1.0, 0.8, []),
    ((40, 40, 40, 40, 41), 40.2, 32.16, [0, 1, 2, 3]),
    ((3, 4, 5, 6, 7), 5.0, 4.0, [1]),  # exactly the target
    ((33, 66), 49.5, 39.6, [0]),
    ((1, 2), 1.5, 1.2, [0]),
    ((7,), 7.0, 5.6, [0]),  # the last one in is nearest to its own target
]


def test_the_nearest_to_four_fifths_of_the_mean_wins() -> None:
    for numbers, mean, target, winners in ROUNDS:
        _, p = GAME.params(players=max(2, len(numbers)))
        s = rules.initial(p)
        if len(numbers) == 1:
            s = s._replace(out=(0, 1), health=(10, 0), round=2)
        then = rules.apply(p, s, chosen(*numbers))
        assert then.mean == pytest.approx(mean, abs=1e-12), (numbers, winners)
        assert then.target == target, (numbers, winners)
        for seat in range(len(numbers)):
            won = seat in winners
            assert (then.won[seat], then.wins[seat], then.health[seat]) == (won, won, 10 if won else 9), numbers
            assert then.number[seat] == numbers[seat], winners


TARGETS = [
    # factor, numbers: target to two digits, a half upwards
    (0.8, (1, 1, 2), 1.07),  # 3.2 / 3 = 1.0666...
    (0.8, (1, 2, 2), 1.33),
    (0.5, (1, 1, 1, 2), 0.63),  # 0.625
    (0.5, (1, 2, 2, 2), 0.88),  # 0.875
    (0.35, (1, 2), 0.53),  # 0.525, of which the binary 0.35 falls short
    (0.01, (28, 30), 0.29),
    (0.01, (29, 30), 0.3),  # 0.295
    (0.99, (100, 100, 99), 98.67),
    (2 / 3, (100, 50), 50.0),
]


def test_the_target_has_two_digits() -> None:
    for factor, numbers, target in TARGETS:
        _, p = GAME.params(players=len(numbers), factor=factor)
        assert rules.apply(p, rules.initial(p), chosen(*numbers)).target == target, factor


def started(**params: Any) -> Any:
    env = econzoo.make("guess_average", face="structured", **params)
    env.reset(seed=0)
    return env


def choose(env: Any, *numbers: int) -> None:
    """One round: numbers of those who are in, in the order of seats."""
    for number in numbers:
        while env.terminations[env.agent_selection]:
            env.step(None)
        env.step({"number": number})


def test_nobody_is_out_before_the_end_of_round_ten() -> None:
    env = started()
    for round in range(10):
        assert env.agents == env.possible_agents, f"round {round + 1}"
        choose(env, 50, 50, 50, 50, 50)
    assert env.game_state.out == (10,) * 5
    assert env.over
    assert env.payoffs == (0.0,) * 5


def test_whoever_has_no_points_left_is_out_and_counts_no_more() -> None:
    env = started(players=3, health=2)
    choose(env, 10, 20, 60)  # target 24: 20 wins
    choose(env, 10, 20, 60)
    assert env.game_state.out == (2, 0, 2)
    choose(env, 90)
    assert env.events[-1].fact == (90.0, 72.0, 1, 2), "the mean is that of those who are in"
    assert env.game_state.number == (0.0, 90.0, 0.0)
    assert env.agents == ["player_1"]
    for _ in range(7):
        choose(env, 5)
    assert env.over
    assert env.payoffs == (0.0, 10.0, 0.0)


def test_the_game_ends_when_all_are_out() -> None:
    env = started(players=2, health=1)
    choose(env, 7, 7)
    assert env.over
    assert (env.game_state.round, env.game_state.out) == (1, (1, 1))
    assert all(env.terminations.values())


def test_numbers_of_the_round_are_public_when_it_is_over() -> None:
    env = started(players=2)
    assert env.observe("player_0")["mean"] is env.observe("player_0")["target"] is None
    assert env.observe("player_0")["numbers"] == (0.0, 0.0)
    choose(env, 10, 20)
    for agent in env.agents:
        seen = env.observe(agent)
        assert (seen["mean"], seen["target"], seen["numbers"]) == (15.0, 12.0, (10.0, 20.0))
        assert (seen["won"], seen["wins"], seen["healths"]) == ((1, 0), (1, 0), (10, 9))


@examples(60)
@given(
    percent=st.integers(1, 99),
    health=st.integers(1, 4),
    rounds=st.integers(1, 5),
    players=st.integers(2, 7),
    high=st.sampled_from([2, 5, 100, 1_000_000]),
    data=st.data(),
)
def test_rules_by_the_book(percent: int, health: int, rounds: int, players: int, high: int, data: Any) -> None:
    """The description of the game once more, in exact fractions."""
    _, p = GAME.params(players=players, factor=percent / 100, health=health, rounds=rounds, high=high)
    s, points, wins, gone = rules.initial(p), [health] * players, [0] * players, [0] * players
    for round in range(1, rounds + 1):
        inside = [i for i in range(players) if not gone[i]]
        if not inside:
            break
        assert (rules.to_act(p, s), s.round) == (SEVERAL, round)
        numbers = {i: data.draw(st.integers(1, high), label=f"number {i}") for i in inside}
        exact = Fraction(percent, 100) * Fraction(sum(numbers.values()), len(inside))
        target = Fraction(floor(exact * 100 + Fraction(1, 2)), 100)
        best = min(numbers.values(), key=lambda number: (abs(number - target), number))
        alike = len(inside) > 1 and len(set(numbers.values())) == 1
        for i in inside:
            if numbers[i] == best and not alike:
                wins[i] += 1
            else:
                points[i] -= 1
                gone[i] = 0 if points[i] else round
        s = rules.apply(p, s, chosen(*[numbers.get(seat, 0.0) for seat in range(len(s.out))]))
        assert (s.health, s.wins, s.out) == (tuple(points), tuple(wins), tuple(gone))
        assert s.target == float(target)
    assert rules.to_act(p, s) == DONE
    assert rules.payoffs(p, s) == tuple(map(float, wins))


@settings(max_examples=100)
@given(numbers=st.lists(st.integers(1, 100), min_size=2, max_size=8), factor=st.floats(0.01, 0.99))
@example(numbers=[1, 100], factor=2 / 3)
def test_who_wins_does_not_depend_on_the_seat(numbers: list[int], factor: float) -> None:
    _, p = GAME.params(players=len(numbers), factor=factor)
    forwards = rules.apply(p, rules.initial(p), chosen(*numbers))
    backwards = rules.apply(p, rules.initial(p), chosen(*reversed(numbers)))
    assert forwards.won == backwards.won[::-1]
    assert len({number for number, won in zip(numbers, forwards.won, strict=True) if won}) == (len(set(numbers)) > 1)


def test_before_the_first_round_there_is_no_target() -> None:
    _, p = GAME.params()
    assert (rules.initial(p).mean, rules.initial(p).target) == (UNKNOWN, UNKNOWN)
