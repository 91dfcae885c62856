"""The tables of observations and actions say what the environments do."""

from __future__ import annotations

import re
from itertools import islice

import gymnasium
import numpy as np
import pytest

import econzoo
from econzoo.envs.core import game as find_game
from econzoo.envs.core import gymnasium_id
from econzoo.envs.core.env import GameEnv
from econzoo.evaluate.commands.show import ShowOptions, run
from econzoo.evaluate.commands.space_tables import actions_of, features_of
from econzoo.evaluate.run import game_settings
from exhaustive import long_unless

GAMES = list(econzoo.envs.GAMES)
MOVES = 60
"""Of a random match that are looked at."""


def started(name, **params):
    env = GameEnv(find_game(name), **params)
    env.reset(seed=1)
    return env


def test_every_number_of_every_id_has_a_row():
    for name in GAMES:
        env, game = started(name), find_game(name)
        features, actions = features_of(env), actions_of(env)
        assert [feature.number for feature in features] == list(range(len(features))), name
        assert [number for a in actions for number in range(a.first, a.last + 1)] == list(
            range(actions[-1].last + 1)
        ), name
        alone = gymnasium.make(
            f"econzoo:{gymnasium_id(name, game.version)}", opponent="random", disable_env_checker=True
        )
        for seen, acting in [
            (alone.observation_space, alone.action_space),
            *[(env.observation_space(agent), env.action_space(agent)) for agent in env.possible_agents],
        ]:
            assert seen["observation"].shape == (len(features),), name
            assert acting.n == actions[-1].last + 1, name


def test_the_first_and_the_last_number_of_a_row_are_its_move():
    for name in GAMES:
        env = started(name, grid=5)
        schema = env.actions
        for agent in env.possible_agents:
            marks, legal = [mark for marks in schema.marks for mark in marks], env.legal(agent)
            ever = [
                mark.widest_bounds(pair, len(env.possible_agents))
                for mark, pair in zip(marks, legal.bounds, strict=True)
            ]
            legal = legal._replace(kinds=(True,) * len(schema.kinds), bounds=tuple(ever), refusal=None)
            for row in actions_of(env):
                low, high = (schema.move(env.face(agent).decode(number, legal)) for number in (row.first, row.last))
                kind = schema.kinds[low.kind]
                assert low.kind == high.kind == schema.index[row.kind], (name, row)
                assert kind.amount is None or f"from {low.values[0]:,.12g} to {high.values[0]:,.12g}" in row.amounts, (
                    name,
                    row,
                )


def test_numbers_of_programs_are_the_programs_of_the_library():
    for name in [name for name in GAMES if name.startswith("program_")]:
        from econzoo.envs.families.open_source import library

        env = started(name)
        (row,) = actions_of(env)
        named = dict(part.split() for part in row.amounts.rstrip(".").split(", "))
        legal = env.legal("player_0")
        for number, program in named.items():
            base = name.replace("program_coin", "coin_game").replace("program_", "")
            assert env.face("player_0").decode(int(number), legal)[0] == library.program(base, program), name
        assert len(named) == row.last + 1, name


def allows(values, number):
    """Whether ``0 to 1, or -1 if unknown`` allows a number."""
    pair = r"(-?[\d.]+) to (-?[\d.]+)"
    spans = [(float(low), float(high)) for low, high in re.findall(pair, values)]
    points = [float(point) for point in re.findall(r"-?\d[\d.]*", re.sub(pair, "", values))]
    return any(low - 1e-6 <= number <= high + 1e-6 for low, high in spans) or number in points


def test_what_values_allow():
    assert [allows("0 to 1, or -1 if unknown", number) for number in (0.0, 0.3, 1.0, -1.0, -0.5, 1.1)] == [
        True, True, True, True, False, False,
    ]  # fmt: skip
    assert [allows("1 high, 0 low, -1 unknown", number) for number in (1.0, 0.0, -1.0, 0.5)] == [True] * 3 + [False]


@pytest.mark.parametrize("name", long_unless(lambda one: GAMES.index(one) % 3 == 0, GAMES, "slow"))
def test_observed_numbers_are_among_their_values(name):
    """In random matches of the named markets; games whose programs have to run are looked at for fewer moves."""
    rng, game = np.random.default_rng(5), find_game(name)
    markets = list(game_settings(game).values())
    for market in markets[:: max(len(markets) // 3, 1)]:
        env = started(name, **market)
        features = features_of(env)
        for agent in islice(env.agent_iter(), 4 if game.referee else MOVES):
            seen = env.observe(agent)
            for feature, number in zip(features, seen["observation"], strict=True):
                assert allows(feature.values, float(number)), (market, feature, number)
            legal = np.flatnonzero(seen["action_mask"])
            env.step(int(rng.choice(legal)) if legal.size and not env.terminations[agent] else None)


def test_show_prints_every_row(monkeypatch):
    for name in ["water_allocation", "program_matrix"]:
        env = started(name)
        monkeypatch.setenv("COLUMNS", "400")
        shown = " ".join(run(ShowOptions(name)).split())
        assert all(f"{number} {meaning} {values}" in shown for number, meaning, values in features_of(env)), name
        assert all(" ".join(f"{a.numbers} {a.kind} {a.amounts}".split()) in shown for a in actions_of(env)), name
