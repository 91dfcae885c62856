"""The public environment says what was called wrongly, and stays as it was."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import econzoo
from econzoo.envs.core.env.public import CheckedEnv
from econzoo.wrappers.face import DiscreteActions, TextObservation
from econzoo.wrappers.objective import ObjectiveReward


def fresh() -> CheckedEnv:
    return econzoo.make("bargaining", horizon=1)


def started() -> CheckedEnv:
    env = fresh()
    env.reset(seed=0)
    return env


def finished() -> CheckedEnv:
    env = started()
    for action in (50, 101):  # offers half, accepts
        env.step(action)
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []
    return env


CALLS: dict[str, Callable[[CheckedEnv], Any]] = {
    "step": lambda env: env.step(0),
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("player_0"),
    "render": lambda env: env.render(),
}


@pytest.mark.parametrize("call", CALLS)
def test_nothing_before_reset(call: str) -> None:
    with pytest.raises(RuntimeError, match=rf"^bargaining: {call}\(\) is not possible now; call reset\(\) first$"):
        CALLS[call](fresh())


@pytest.mark.parametrize(
    "name", ["agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "events", "game_state"]
)
def test_what_reset_sets_is_not_there_before(name: str) -> None:
    env = fresh()
    with pytest.raises(AttributeError, match=rf"{name} is set by reset\(\); call reset\(\) first"):
        getattr(env, name)
    assert not hasattr(env, name)
    env.reset()
    getattr(env, name)


@pytest.mark.parametrize("call", ["step", "last"])
def test_nothing_after_the_end(call: str) -> None:
    env = finished()
    with pytest.raises(RuntimeError, match=rf"{call}\(\) is not possible now; the game is over: call reset\(\)"):
        CALLS[call](env)
    env.reset()
    CALLS[call](env)


def test_the_end_can_still_be_looked_at() -> None:
    env = finished()
    assert env.observe("player_0")["observation"].shape == (12,)
    assert env.payoffs == (5000.0, 5000.0)
    assert env.render() is None


@pytest.mark.parametrize("agent", ["player_2", "Alice", "", None, 0])
def test_an_unknown_agent_is_named(agent: Any) -> None:
    with pytest.raises(ValueError, match=r"unknown agent .*; allowed: player_0, player_1"):
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


@pytest.mark.parametrize("ask", ["action_space", "observation_space"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_names_an_unknown_agent(view: str, ask: str) -> None:
    env = VIEWS[view]()
    assert getattr(env, ask)("player_1") is getattr(env, ask)("player_1")
    with pytest.raises(ValueError, match=r"^unknown agent 'player_2'; allowed: player_0, player_1$"):
        getattr(env, ask)("player_2")


@pytest.mark.parametrize("call", ["step", "render", "state"])
def test_nothing_of_the_parallel_view_before_reset(call: str) -> None:
    env = econzoo.make_parallel("bargaining")
    arguments = ({},) if call == "step" else ()
    with pytest.raises(RuntimeError, match=rf"^bargaining: {call}\(\) is not possible now; call reset\(\) first$"):
        getattr(env, call)(*arguments)


@pytest.mark.parametrize(
    "action", [-1, 103, 10**5000, 1.5, math.nan, math.inf, "5", [5], (), {}], ids=lambda action: type(action).__name__
)
def test_an_action_outside_the_space_is_named(action: Any) -> None:
    env = started()
    with pytest.raises(ValueError, match=r"of player_0 is outside its space; allowed: whole numbers 0 to 102"):
        env.step(action)
    assert (env.moves, env.errors, env.agent_selection) == (0, [0, 0], "player_0")


def test_a_finished_agent_passes_none() -> None:
    env = started()
    env.step(50)
    env.step(101)
    with pytest.raises(ValueError, match="None"):
        env.step(0)


def test_a_playing_agent_does_not_pass_none() -> None:
    env = started()
    env.step(None)
    assert env.errors == [1, 0], "None is an unusable answer like any other"


def test_agents_read_any_other_missing_attribute_as_missing() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        _ = started().no_such_thing


@pytest.mark.parametrize("seed", ["a", math.nan, 1.5, -1, True, [1], 2**129], ids=repr)
@pytest.mark.parametrize("parallel", [False, True])
def test_a_seed_that_is_none_is_named(seed: Any, parallel: bool) -> None:
    env = econzoo.make_parallel("bargaining") if parallel else started()
    with pytest.raises(ValueError, match=r"seed=.* is not allowed; allowed: a whole number from 0"):
        env.reset(seed=seed)


@pytest.mark.parametrize("options", [5, "x", [1], [], 0])
def test_options_that_are_none_are_named(options: Any) -> None:
    env = started()
    env.step(50)
    with pytest.raises(ValueError, match=r"options=.* is not allowed; allowed: a mapping"):
        env.reset(options=options)
    assert env.moves == 1, "the game goes on"


@pytest.mark.parametrize("actions", [None, 5, [1, 2], "player_0"])
def test_parallel_actions_are_a_mapping(actions: Any) -> None:
    env = econzoo.make_parallel("bargaining")
    env.reset(seed=0)
    with pytest.raises(ValueError, match="actions must be a mapping from agents to actions; got"):
        env.step(actions)
    env.step({"player_0": 50})
