"""The public environment says what was called wrongly, and stays as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import short_repr
from econzoo.envs.core.env import GameEnv
from econzoo.wrappers import DiscreteActions, ObjectiveReward, TextObservation
from refusals import refuses


def fresh() -> GameEnv:
    return econzoo.make("bargaining", horizon=1)


def started() -> GameEnv:
    env = fresh()
    env.reset(seed=0)
    return env


def finished() -> GameEnv:
    env = started()
    for action in (50, 101):  # offers half, accepts
        env.step(action)
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []
    return env


CALLS: dict[str, Callable[[GameEnv], Any]] = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "render": lambda env: env.render(),
}


def test_nothing_before_reset() -> None:
    for name, call in CALLS.items():
        with refuses(RuntimeError, "bargaining", f"{name}()", "reset()"):
            call(fresh())


def test_what_reset_sets_is_not_there_before() -> None:
    for name in [
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "events",
        "game_state",
    ]:
        env = fresh()
        with refuses(AttributeError, name, "reset()"):
            getattr(env, name)
        assert not hasattr(env, name), name
        env.reset()
        getattr(env, name)


def test_nothing_after_the_end() -> None:
    for call in ["step", "last"]:
        env = finished()
        with refuses(RuntimeError, f"{call}()", "reset()"):
            CALLS[call](env)
        env.reset()
        CALLS[call](env)


def test_the_end_can_still_be_looked_at() -> None:
    env = finished()
    assert env.observe("player_0")["observation"].shape == (14,)
    assert env.payoffs == (5000.0, 5000.0)
    assert env.render() is None


def test_an_unknown_agent_is_named() -> None:
    for agent in ["player_2", "Alice", "", None, 0]:
        with refuses(ValueError, repr(agent), "player_0", "player_1"):
            started().observe(agent)


def structured() -> Any:
    return econzoo.make("bargaining", face="structured")


VIEWS: dict[str, Callable[[], Any]] = {
    "make": lambda: econzoo.make("bargaining"),
    "make_raw": lambda: econzoo.make_raw("bargaining"),
    "make_parallel": lambda: econzoo.make_parallel("bargaining"),
    "DiscreteActions": lambda: DiscreteActions(structured()),
    "TextObservation": lambda: TextObservation(structured()),
    "ObjectiveReward": lambda: ObjectiveReward(structured(), "fairness"),
}


def test_every_view_names_an_unknown_agent() -> None:
    for view in VIEWS.values():
        for ask in ("action_space", "observation_space"):
            env = view()
            assert getattr(env, ask)("player_1") is getattr(env, ask)("player_1"), (ask, env)
            with refuses(ValueError, "player_2", "player_0", "player_1"):
                getattr(env, ask)("player_2")


def test_nothing_of_the_parallel_view_before_reset() -> None:
    for call in ["step", "render", "state"]:
        env = econzoo.make_parallel("bargaining")
        arguments = ({},) if call == "step" else ()
        with refuses(RuntimeError, "bargaining", f"{call}()", "reset()"):
            getattr(env, call)(*arguments)


def test_an_action_outside_the_space_is_named() -> None:
    for action in [-1, 103, 10**5000, 1.5, math.nan, math.inf, "5", [5], (), {}]:
        env = started()
        with refuses(ValueError, "bargaining", short_repr(action), "player_0", 0, 102):
            env.step(action)
        assert (env.moves, env.errors, env.agent_selection) == (0, [0, 0], "player_0"), action


def test_a_finished_agent_passes_none() -> None:
    env = started()
    env.step(50)
    env.step(101)
    with pytest.raises(ValueError, match="None"):
        env.step(0)


def test_a_playing_agent_does_not_pass_none() -> None:
    for face, allowed in {"numeric": "0 to 102", "structured": "an object with keys", "text": "text"}.items():
        env = econzoo.make("bargaining", face=face)
        env.reset(seed=0)
        with refuses(ValueError, "None of player_0", allowed, "terminated agent"):
            env.step(None)
        assert (env.errors, env.moves) == ([0, 0], 0), "nothing was counted or played"
    counted = econzoo.make("bargaining", on_error="default")
    counted.reset(seed=0)
    counted.step(None)
    assert counted.defaults == [1, 0], "on_error, where given, governs"


def test_an_array_of_one_number_is_told_how_to_become_one() -> None:
    for action in (np.array([60]), np.array([[60]], np.int32)):
        with refuses(ValueError, repr(action), "int(action)", "action.item()"):
            started().step(action)
    for action in (np.array([600]), np.array([60.5]), np.array([1, 2]), 60.0):
        with pytest.raises(ValueError, match="outside its space") as refused:
            started().step(action)
        assert "item()" not in str(refused.value), "one number would be no action either"


def test_agents_read_any_other_missing_attribute_as_missing() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = started().no_such_thing


def test_a_seed_that_is_none_is_named() -> None:
    for parallel in [False, True]:
        for seed in ["a", math.nan, 1.5, -1, True, [1], 2**129]:
            env = econzoo.make_parallel("bargaining") if parallel else started()
            with refuses(ValueError, f"seed={seed!r}", 0, "2**128", None):
                env.reset(seed=seed)


def test_options_that_are_none_are_named() -> None:
    for options in [5, "x", [1], [], 0]:
        env = started()
        env.step(50)
        with refuses(ValueError, f"options={options!r}", None):
            env.reset(options=options)
        assert env.moves == 1, "the game goes on"


def test_parallel_actions_are_a_mapping() -> None:
    for actions in [None, 5, [1, 2], "player_0"]:
        env = econzoo.make_parallel("bargaining")
        env.reset(seed=0)
        with refuses(ValueError, "bargaining", "actions", repr(actions)):
            env.step(actions)
        env.step({"player_0": 50})
