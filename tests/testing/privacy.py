"""No observation, text, info, reward or space reveals hidden information, on any face."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext, suppress
from itertools import product
from typing import Any
from unittest import SkipTest

import numpy as np

from econzoo.envs.core.contract import DONE, SEVERAL, Game, Parameter, Secret, alphabet, turns_of
from econzoo.testing.playing import FACES, POLICIES, draw, encode, freeze, has_ended, library_size, make_env
from econzoo.testing.playing import make_parallel_env, play_on, random_policy, reset_alike, settings_of, typed_events
from econzoo.testing.suite import check

GUIDE = "The rules"
REMEDY = "omit hidden information from View in observe(); hide moves by sees()"


def observable_state(env: Any, agent: str) -> Any:
    """Return everything that an agent can observe in this position."""
    if agent not in env.agents:
        return None
    face = env.face(agent)
    brief = face.rules(env.information_state(agent).view) if face.name in ("text", "chat") else ""
    parts = (env.observe(agent), env.infos[agent], env.rewards[agent], env.terminations[agent], env.truncations[agent])
    return env.agent_selection, tuple(env.agents), brief, *map(freeze, parts), freeze(env.json_schema(agent))


def quiet_move(env: Any, rng: np.random.Generator) -> Any:
    """Sample a move that does not end the game, if possible: horizons show only in long games."""
    moves = [draw(rng, env.game, env.legal(env.agent_selection)) for _ in range(8)]
    if turns_of(env.game).has_joint_moves:
        return moves[0]
    rules, params, state = env.game.rules, env.params, env.game_state
    after = [rules.apply(params, state, (env.game.actions.move(move),)) for move in moves]
    going = [move for move, position in zip(moves, after, strict=True) if rules.to_act(params, position) != DONE]
    return (going or moves)[0]


def compare(game: Game, secret: Secret, face: str, seed: int) -> int:
    """Play both matches with the same moves, except secret ones.

    Returns:
        Number of steps with equal observations; 0 if no secret move occurred.
    """
    seats = len(make_env(game, **secret.first_params).possible_agents)
    # Others use exact amounts: on a grid over their usual range, one action can be two moves.
    faces = tuple(face if seat == secret.seat else "structured" for seat in range(seats))
    envs = [make_env(game, face=faces, **params) for params in (secret.first_params, secret.second_params)]
    agent = envs[0].possible_agents[secret.seat]
    spaces = [(repr(env.observation_space(agent)), repr(env.action_space(agent))) for env in envs]
    assert spaces[0] == spaces[1], f"a space reveals {secret.description}"
    for env, chance in zip(envs, secret.chance, strict=True):
        reset_alike(env, seed, chance)
    one, other = envs
    rng, steps = np.random.default_rng(seed), 0
    while one.agents and steps < secret.steps:
        assert observable_state(one, agent) == observable_state(other, agent), (
            f"step {steps} on the {face} face reveals {secret.description}"
        )
        if has_ended(one):
            for env in envs:
                env.step(None)
        else:
            mover = one.agent_selection
            # Long matches by even seeds, any matches by odd ones.
            move = draw(rng, game, one.legal(mover)) if seed % 2 else quiet_move(one, rng)
            moves = move, move if mover == agent else find_alternative_move(other, move, secret.moves, rng)
            if other.actions.validate_action(moves[1], other.legal(mover)) is not moves[1]:
                break  # secret moves change the legal moves of others
            for env, own in zip(envs, moves, strict=True):
                env.step(encode(env, mover, own))
        steps += 1
    if secret.moves:
        return steps * (typed_events(one) != typed_events(other))
    differ = (one.params, one.chance_draws) != (other.params, other.chance_draws)
    assert differ, f"the two matches of the secret {secret.description!r} are the same"
    return steps


def find_alternative_move(env: Any, move: Any, kinds: tuple[str, ...], rng: np.random.Generator) -> Any:
    """Sample another legal move of these kinds; return the move itself if none is found."""
    actions = env.game.actions
    if actions.kind_and_message(move)[0] not in kinds:
        return move
    drawn = [draw(rng, env.game, env.legal(env.agent_selection)) for _ in range(30)]
    of_kinds = [one for one in drawn if actions.kind_and_message(one)[0] in kinds]
    others = [one for one in of_kinds if actions.move(one) != actions.move(move)]
    return (others or [move])[0]


@check(GUIDE, REMEDY)
def secrets_are_kept(game: Game, face: str, seeds: range) -> None:
    for secret in game.cases.secrets:
        steps = [0]
        for seed in range(POLICIES) if secret.moves else seeds:
            # Upon some of these moves nature cannot do what the secret says.
            with suppress(ValueError) if secret.moves else nullcontext():
                steps.append(compare(game, secret, face, seed))
        remedy = "fix `moves` (none was made) or `chance` (impossible after them) of the secret"
        assert max(steps) >= 2, (
            f"no match came to {secret.description}: {remedy if secret.moves else 'it is revealed at once'}"
        )


@check(
    "Cases",
    "list hidden information in `Cases.secrets` (parameters, chance moves, `moves` of others), or set "
    "`GameFacts.perfect_information`",
)
def every_secret_is_declared(game: Game) -> None:
    """Games declare secrets exactly if they lack perfect information."""
    found, hidden = len(game.cases.secrets), not game.facts.perfect_information
    assert bool(found) == hidden, f"perfect_information={not hidden}, but {found} secrets in cases.py"


@check(
    GUIDE,
    "omit hidden information from View; list fields that reveal a parameter in `Cases.revealing_fields`",
)
def a_parameter_changes_no_view_but_by_the_fields_that_tell_it(game: Game, setting: dict[str, Any]) -> None:
    """Matches that differ in one parameter look equal to a seat until a field that reveals it differs.

    Revealing fields are those of its name, with or without ``own_`` or ``other_``, and `Cases.revealing_fields`.
    """
    for parameter in game.parameters:
        for value in other_values(game, parameter, setting):
            changed = find_leaks(game, setting, parameter.name, value)
            assert not changed, f"{parameter.name}={value!r} in place of the value in {setting} changes {changed}"


def other_values(game: Game, parameter: Parameter, setting: Mapping[str, Any]) -> list[Any]:
    """Return other values of a parameter: those in test settings, nearby ones, or other choices."""
    value = game.params(**setting)[0][parameter.name]
    played = [
        *settings_of(game),
        *(params for secret in game.cases.secrets for params in (secret.first_params, secret.second_params)),
    ]
    known = [one[parameter.name] for one in (game.defaults, *played) if parameter.name in one]
    near = [value + 1, value - 1, value / 2, value * 2] if isinstance(value, int | float) else []
    fit = [value]
    for value in [*known, *near, *getattr(parameter.domain, "words", ())]:
        with suppress(ValueError):
            fit.append(game.params(**{**setting, parameter.name: value})[0][parameter.name])
    return [value for i, value in enumerate(fit) if value not in fit[:i]][1:3]


def find_leaks(game: Game, setting: dict[str, Any], name: str, value: Any) -> list[str]:
    """Return the fields of a view that differ with a hidden parameter in one random match."""
    telling = {name, f"own_{name}", f"other_{name}", *game.cases.revealing_fields.get(name, ())}
    one, other = (make_env(game, face="structured", **params) for params in (setting, {**setting, name: value}))
    one.reset(seed=1)
    play_on(one, random_policy(1))
    same = one.chance_draws if game.referee is None else []
    with suppress(ValueError):  # the same chance moves are impossible there
        for env in (one, other):
            reset_alike(env, 1, same)
        return leaked_fields(one, other, telling)
    return []


def leaked_fields(one: Any, other: Any, telling: set[str]) -> list[str]:
    """Return the fields that differ for a seat while two matches proceed equally and no revealing field differs."""
    rng, seats, informed = np.random.default_rng(1), range(len(one.possible_agents)), set[int]()
    while len(informed) < len(seats) and (one.over, one.agents) == (other.over, other.agents):
        for seat in seats:
            views = one.view(seat), other.view(seat)
            differ = [name for name in views[0]._fields if getattr(views[0], name) != getattr(views[1], name)]
            informed |= {seat} if telling & {*differ} else set()
            if differ and seat not in informed:
                return differ
        if not one.agents or one.agent_selection != other.agent_selection or has_ended(one) != has_ended(other):
            break
        if one.game.referee is not None:  # its randomness depends on all parameters
            break
        agent = one.agent_selection
        fewer_words = min(one, other, key=lambda env: message_freedom(env.legal(agent).messages))
        move = None if has_ended(one) else quiet_move(fewer_words, rng)
        both = (one, other)
        if move is not None and any(env.actions.validate_action(move, env.legal(agent)) is not move for env in both):
            break
        for env in (one, other):
            env.step(None if move is None else encode(env, agent, move))
    return []


def message_freedom(messages: int) -> int:
    """Order of message modes by expressiveness: none, symbols, free text."""
    return int(messages > 0) + int(messages is True)


def is_simultaneous(env: Any) -> bool:
    """Whether several seats move at once."""
    return env.game.rules.to_act(env.params, env.game_state) == SEVERAL


@check(GUIDE, REMEDY)
def moves_of_a_cycle_are_hidden_until_all_have_moved(game: Game, face: str, seeds: range) -> None:
    """Simultaneous moves are hidden from all, including spectators, until all have moved."""
    if not turns_of(game).has_joint_moves:
        raise SkipTest("sequential moves")
    for cycles, seed in product(range(3), seeds):
        one, other = (make_env(game, face=face, render_mode="ansi") for _ in range(2))
        if play_to_cycle(one, cycles, seed) and play_to_cycle(other, cycles, seed):
            play_differing_cycle(one, other, seed)


def play_to_cycle(env: Any, cycles: int, seed: int) -> bool:
    """Play randomly up to a simultaneous move after `cycles` rounds; return whether it was reached."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    while env.agents and (env.game_state.round <= cycles or not is_simultaneous(env) or has_ended(env)):
        agent = env.agent_selection
        env.step(None if has_ended(env) else encode(env, agent, draw(rng, env.game, env.legal(agent))))
    return bool(env.agents)


def play_differing_cycle(one: Any, other: Any, seed: int) -> None:
    """Play a cycle in two equal matches with different moves; both must look equal until its end."""
    at, rng, movers, differ = one.game_state, np.random.default_rng(seed + 100), set(), False
    while True:
        agent = one.agent_selection
        answers = [distinct_answer(env, agent, env is one, seed, rng) for env in (one, other)]
        for env, answer in zip((one, other), answers, strict=True):
            env.step(answer)
        movers.add(agent)
        differ = differ or answers[0] != answers[1]
        if one.game_state != at:
            break
        for seen in one.agents:
            assert observable_state(one, seen) == observable_state(other, seen), (
                f"{seen} sees what {agent} chose before all have"
            )
        assert one.render() == other.render(), "a spectator sees a move before all have moved"
        assert np.array_equal(one.state(), other.state()), "state() tells a move before all have moved"
    assert len(movers) >= 2
    assert not differ or typed_events(one) != typed_events(other), "the two matches did differ in those moves"


def distinct_answer(env: Any, agent: str, first: bool, seed: int, rng: np.random.Generator) -> Any:
    """Return an answer that differs between the two matches in kind, numbers or message."""
    legal, actions = env.legal(agent), env.actions
    index = int(np.flatnonzero(legal.kinds)[0 if first else -1])
    own = legal.bounds[actions.first[index] :]
    pairs = zip(actions.marks[index], own, strict=False)
    values = [low if first else mark.sample((low, high), rng) for mark, (low, high) in pairs]
    text = [0.0 if first else 1.0 + seed] if library_size(env.game, index) else values
    said = alphabet(legal.messages) or ("the first match", "the other match")
    words = said[0 if first else -1] if legal.messages and actions.kinds[index].message else ""
    move = actions.make(index, text, words)
    refused = actions.validate_action(move, legal) is not move
    return encode(env, agent, draw(rng, env.game, legal) if refused else move)


def strip_no_op(aec: Any, agent: str, observation: Any) -> Any:
    """Remove the no-op from an observation of the parallel view."""
    if aec.face(agent).name != "numeric":
        return observation
    return {**observation, "action_mask": observation["action_mask"][: aec.face(agent).size]}


@check(GUIDE, REMEDY)
def observations_before_the_own_move_do_not_depend_on_being_asked_second(game: Game, seeds: range) -> None:
    """In simultaneous moves the parallel and AEC views have equal observations."""
    if not turns_of(game).has_joint_moves:
        raise SkipTest("sequential moves")
    for face, seed in product(FACES, seeds):
        aec, parallel = make_env(game, face=face), make_parallel_env(game, face=face)
        aec.reset(seed=seed)
        observations, _ = parallel.reset(seed=seed)
        choose = random_policy(seed)
        while parallel.agents:
            actions = {}
            while aec.agents and has_ended(aec):
                aec.step(None)
            for agent in [agent for agent in parallel.agents if any(parallel.aec.legal(agent).kinds)]:
                assert aec.agent_selection == agent
                assert freeze(aec.last()[0]) == freeze(strip_no_op(aec, agent, observations[agent]))
                actions[agent] = choose(aec, agent)
                aec.step(actions[agent])
            observations, *_ = parallel.step(actions)
        assert aec.game_state == parallel.aec.game_state
