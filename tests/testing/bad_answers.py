"""Invalid answers never become moves: retries, then the declared policy, all counted."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from econzoo.envs.core.contract import CODES, Game, Invalid
from econzoo.testing import playing
from econzoo.testing.playing import draw, encode, expect_value_error, has_ended, make_env, make_parallel_env
from econzoo.testing.playing import make_raw_env, no_op, random_policy, typed_events
from econzoo.testing.suite import check

GUIDE = "Declarations"
REMEDY = "make default_action() legal wherever the seat is to move"


INVALID_ANSWERS: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        "",
        "accept",
        " accept",
        "accept\0",
        b"accept",
        [],
        [1, 2],
        {},
        {"kind": None},
        {"": 1},
        {1: 2},
    ),
    *(math.nan, math.inf, -math.inf, 10**400, -(10**400), 2**63, -1, 0.5, 1j, object()),
    *(np.float32("nan"), np.float64("inf"), np.bool_(True), np.str_("1"), np.array([1, 2])),
    *({"kind": ["offer"]}, {"kind": {"kind": "accept"}}, {"kind": "offer", "gain": "all"}, {"bid": [], "message": 1}),
    *([{"kind": "accept"}], {"kind": "Accept"}, {"kind": "offer", "gain": math.nan}, [[[[]]]], "{" * 50, "\ud83d"),
)
"""Answers that are invalid in almost all games; valid ones are skipped."""


def to_reply(junk: Any) -> str:
    """Format an invalid answer as a reply of a language model."""
    return json.dumps(junk, default=str, skipkeys=True, ensure_ascii=False)


def position(env: Any) -> Any:
    """Return everything that a move can change."""
    return env.game_state, typed_events(env), list(env.chance_draws), dict(env.pending), env.moves, env.agent_selection


def check_legal(game: Game, legal: Any, move: Any) -> None:
    playing.check_move(game.actions.fit_to_bounds(legal.bounds), legal, move)


@check(GUIDE, REMEDY, policy=("default", "forfeit", "raise"))
def junk_is_asked_again_and_then_the_policy_decides(game: Game, face: str, policy: str) -> None:
    """An invalid answer changes nothing and is retried; after the last retry the declared policy applies."""
    for number, junk in enumerate(INVALID_ANSWERS):
        # After none to three moves, so that answers meet different positions.
        answer_invalidly(game, face, policy, junk, number % 4)


def answer_invalidly(game: Game, face: str, policy: str, invalid_answer: Any, steps: int) -> None:
    """Give invalid answers after some moves, until the policy applies."""
    env = make_raw_env(game, face=face, on_error=policy, max_retries=2)
    env.reset(seed=0)
    choose = random_policy(steps)
    for _ in range(steps):
        if not has_ended(env):
            env.step(choose(env, env.agent_selection))
    if has_ended(env):
        return
    agent, previous = env.agent_selection, position(env)
    seat, legal = env.possible_agents.index(agent), env.legal(agent)
    answer = to_reply(invalid_answer) if face in ("text", "chat") else invalid_answer
    decoded = env.face(agent).decode(answer, legal)
    if not isinstance(decoded, Invalid):
        check_legal(game, legal, decoded)
        return
    for attempt in (1, 2):
        env.step(answer)
        assert position(env) == previous, "an invalid answer changed the game"
        info = env.infos[agent]
        assert (info["error"], info["error_code"], info["attempt"]) == (*reversed(decoded), attempt)
        assert info["error_code"] in CODES
        assert env.errors[seat] == attempt
    if policy == "raise":
        with expect_value_error(agent):
            env.step(answer)
        assert position(env) == previous
    else:
        wanted = game.default_action(env.information_state(agent).view)
        check_legal(game, legal, wanted)
        env.step(answer)
    assert env.errors[seat] == 3
    assert sum(env.errors) == 3, "counted for this seat only"
    assert env.defaults[seat] == int(policy == "default")
    assert env.forfeiting_seat == (seat if policy == "forfeit" else None)
    if policy == "default":
        done = {event.seat: event.action for event in env.events}
        played = env.pending.get(seat, done.get(seat))
        assert (type(played), played) == (type(wanted), wanted), "the default action replaces the answer"
    if policy == "forfeit":
        assert all(env.terminations.values())
        assert (env.game_state, typed_events(env)) == previous[:2]
        assert [info["forfeit"] for info in env.infos.values()] == [i == seat for i in range(len(env.infos))]
        assert [info["payoff"] for info in env.infos.values()] == list(env.payoffs)


@check(GUIDE, REMEDY)
def a_good_answer_after_a_bad_one_is_played_and_the_count_starts_over(game: Game, face: str) -> None:
    env = make_raw_env(game, face=face, max_retries=1, on_error="raise")
    env.reset(seed=0)
    rng, bad = np.random.default_rng(0), {"numeric": 10**9, "structured": {"no": "such key"}}.get(face, "no")
    turns = 0
    while not has_ended(env) and turns < 6:
        agent = env.agent_selection
        env.step(bad)
        assert env.infos[agent]["attempt"] == 1, "every turn has its own attempts"
        env.step(encode(env, agent, draw(rng, game, env.legal(agent))))
        assert "error" not in env.infos.get(agent, {})
        turns += 1
    assert sum(env.errors) == turns > (game.cases.max_moves != 1)
    assert sum(env.defaults) == 0
    env.reset(seed=0)
    assert sum(env.errors) == 0


@check(GUIDE, REMEDY, max_retries=(0, 1, 20))
def retries_count(game: Game, face: str, max_retries: int) -> None:
    env = make_raw_env(game, face=face, max_retries=max_retries, on_error="forfeit")
    env.reset(seed=0)
    asked = 0
    while not has_ended(env):
        env.step(object())
        asked += 1
    assert asked == max_retries + 1


@check(GUIDE, REMEDY)
def policies_of_the_faces(game: Game, face: str) -> None:
    """Numeric face: the default action at once, since learners explore; others: two retries, then the game's policy."""
    env = make_raw_env(game, face=face)
    env.reset(seed=0)
    agent = env.agent_selection
    seat = env.possible_agents.index(agent)
    env.step(object())
    if face == "numeric":
        assert (env.errors[seat], env.defaults[seat], env.forfeiting_seat) == (1, 1, None)
    else:
        assert env.infos[agent]["attempt"] == 1
        env.step(object())
        env.step(object())
        expected = (3, 1, None) if game.options.on_error == "default" else (3, 0, seat)
        assert (env.errors[seat], env.defaults[seat], env.forfeiting_seat) == expected


@check(GUIDE, REMEDY)
def a_penalty_is_taken_for_every_invalid_action(game: Game) -> None:
    env = make_env(game, face="structured", penalty=0.25, max_retries=3)
    env.reset(seed=0)
    first = env.agent_selection
    for _ in range(3):
        env.step({"kind": "nonsense"})
    choose = random_policy(5)
    received = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        if has_ended(env):
            received[env.agent_selection] = env.last()[1]
        env.step(None if has_ended(env) else choose(env, env.agent_selection))
    for seat, agent in enumerate(env.possible_agents):
        wanted = env.options.objective.reward(env.payoffs, env.outcome(), seat)
        assert received[agent] == wanted - 0.75 * (agent == first)


@check(GUIDE, REMEDY)
def the_public_numeric_environment_refuses_what_is_outside_its_space(game: Game) -> None:
    env = make_env(game)
    env.reset(seed=0)
    previous = position(env)
    beyond, allowed = no_op(env.action_space(env.agent_selection)) + 1, env.face(env.agent_selection).moves.allowed
    wrong: tuple[Any, ...] = (-1, beyond, 0.5, math.nan, math.inf, "0", [0], {}, 10**5000)
    for action in wrong:
        with expect_value_error(re.escape(f"allowed: {allowed}")):
            env.step(action)
        assert position(env) == previous


@check(GUIDE, REMEDY)
def booleans_are_no_numbers(game: Game) -> None:
    env = make_raw_env(game)
    env.reset(seed=0)
    for action in (True, False, np.True_, np.False_):
        assert isinstance(env.face("player_0").decode(action, env.legal("player_0")), Invalid)


@check(GUIDE, REMEDY)
def the_parallel_view_asks_again_too(game: Game) -> None:
    env = make_parallel_env(game, face="text", on_error="forfeit")
    env.reset(seed=0)
    previous, first = env.aec.game_state, env.aec.agent_selection
    while env.agents:
        *_, infos = env.step(dict.fromkeys(env.agents, "nothing to say"))
    assert env.aec.game_state == previous
    assert env.aec.errors[env.possible_agents.index(first)] == 3
    assert all(info["forfeit"] == (agent == first) for agent, info in infos.items())


@check(GUIDE, REMEDY)
def every_way_to_be_wrong_has_its_code(game: Game) -> None:
    """Every invalid answer has one of the declared codes of `Invalid`."""
    env = make_env(game, face="structured")
    env.reset(seed=0)
    legal = env.legal(env.agent_selection)
    name = game.actions.names[int(np.flatnonzero(legal.kinds)[0])]
    answers: tuple[Any, ...] = (None, [], 3, {"kind": name, "zzz": 1}, {"kind": "zzz"}, {1: 2}, {})
    for wrong in answers:
        answer = game.actions.parse(wrong, legal)
        plays_empty = wrong == {} and len(game.actions.kinds) == 1 and not game.actions.kinds[0].numbers
        assert plays_empty or (isinstance(answer, Invalid) and answer.code in CODES), wrong
