"""No seat learns what it may not know, from no observation, text, info, reward or space, on no face."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from conformance.playing import FACES, at_random, draw, encode, ended, frozen, happened, library_of, made, made_parallel
from conformance.secrets_table import SECRETS, Secret
from econzoo.envs.core.contract.game import DONE, SEVERAL, Game
from econzoo.envs.core.contract.probing import turns_of
from toy_games import COIN, registered


def shown_to(env: Any, agent: str) -> Any:
    """All that an agent can get hold of now."""
    if agent not in env.agents:
        return None
    face = env.face(agent)
    brief = face.rules(env.seen(agent).view) if face.name in ("text", "chat") else ""
    parts = (env.observe(agent), env.infos[agent], env.rewards[agent], env.terminations[agent], env.truncations[agent])
    return env.agent_selection, tuple(env.agents), brief, *map(frozen, parts), frozen(env.json_schema(agent))


def quiet_move(env: Any, rng: np.random.Generator) -> Any:
    """A random move that lets the game go on, if one of a few does: a horizon shows in long games only."""
    moves = [draw(rng, env.game, env.legal(env.agent_selection)) for _ in range(8)]
    if turns_of(env.game).together:
        return moves[0]
    rules, params, state = env.game.rules, env.params, env.game_state
    after = [rules.apply(params, state, (env.game.actions.move(move),)) for move in moves]
    going = [move for move, then in zip(moves, after, strict=True) if rules.to_act(params, then) != DONE]
    return (going or moves)[0]


def compare(game: Game, secret: Secret, face: str, seed: int) -> int:
    """Plays both games with the same moves; returns for how many steps the seat was shown the same."""
    seats = len(made(game, **secret.one).possible_agents)
    # The others move by exact amounts: on a grid over what is usual for them, the same number can be two moves.
    faces = tuple(face if seat == secret.seat else "structured" for seat in range(seats))
    envs = [made(game, face=faces, **params) for params in (secret.one, secret.other)]
    agent = envs[0].possible_agents[secret.seat]
    spaces = [(repr(env.observation_space(agent)), repr(env.action_space(agent))) for env in envs]
    assert spaces[0] == spaces[1], f"a space tells {secret.what}"
    for env, chance in zip(envs, secret.chance, strict=True):
        env.reset(seed=seed, options={"chance": chance})
    one, other = envs
    rng, steps = np.random.default_rng(seed), 0
    while one.agents and steps < secret.steps:
        assert shown_to(one, agent) == shown_to(other, agent), f"step {steps} on the {face} face tells {secret.what}"
        if ended(one):
            for env in envs:
                env.step(None)
        else:
            move = draw(rng, game, one.legal(one.agent_selection)) if seed % 2 else quiet_move(one, rng)
            for env in envs:
                env.step(encode(env, env.agent_selection, move))
        steps += 1
    assert (one.params, one.chance_draws) != (other.params, other.chance_draws), "the two games do differ"
    return steps


def test_secrets_are_kept(game: Game, face: str, seeds: range) -> None:
    for secret in SECRETS.get(game.name, []):
        steps = [compare(game, secret, face, seed) for seed in seeds]
        assert max(steps) >= 2


def test_every_game_declares_its_secrets(game: Game) -> None:
    if game.facts.perfect_information:
        assert game.name not in SECRETS, f"{game.name} has perfect information, but secrets in secrets_table.py"
    else:
        assert SECRETS.get(game.name), (
            f"{game.name} has hidden information: add to tests/conformance/secrets_table.py pairs of games which "
            "differ only in what a seat may not know"
        )


def test_a_leak_would_be_caught() -> None:
    """The tests above can fail: here the caller sees the coin."""
    everything = lambda p, s, seat: COIN.rules.observe(p, s, 0)._replace(seat=seat)  # noqa: E731
    leaky = dataclasses.replace(COIN.rules, observe=everything)
    with registered(dataclasses.replace(COIN, rules=leaky)):
        for face in FACES:
            with pytest.raises(AssertionError, match="tells the side"):
                compare(COIN, SECRETS["coin"][0], face, seed=0)


def several_move(env: Any) -> bool:
    """Whether it is not a single seat's turn."""
    return env.game.rules.to_act(env.params, env.game_state) == SEVERAL


def test_moves_of_a_cycle_are_hidden_until_all_have_moved(game: Game, face: str, seeds: range) -> None:
    """In a simultaneous game nobody, spectators included, sees what the earlier seats of the cycle chose."""
    if not turns_of(game).together:
        return
    for cycles in range(3):
        for seed in seeds:
            envs = [made(game, face=face, render_mode="ansi") for _ in range(2)]
            rngs = [np.random.default_rng(seed) for _ in envs]
            for env, rng in zip(envs, rngs, strict=True):
                env.reset(seed=seed)
                while env.agents and (env.game_state.round <= cycles or not several_move(env)):
                    move = (
                        None
                        if ended(env)
                        else encode(env, env.agent_selection, draw(rng, game, env.legal(env.agent_selection)))
                    )
                    env.step(move)
            while envs[0].agents and ended(envs[0]):
                for env in envs:
                    env.step(None)
            if not envs[0].agents:
                continue
            at = envs[0].game_state
            others = np.random.default_rng(seed + 100)
            moved: set[str] = set()
            while True:
                for env in envs:
                    agent = env.agent_selection
                    legal, actions = env.legal(agent), env.actions
                    kinds = np.flatnonzero(legal.kinds)
                    first = env is envs[0]
                    index = int(kinds[0 if first else -1])
                    marks, own = actions.marks[index], legal.bounds[actions.first[index] :]
                    pairs = list(zip(marks, own, strict=False))
                    values = [low if first else mark.drawn((low, high), others) for mark, (low, high) in pairs]
                    text = [0.0 if first else 1.0 + seed] if library_of(game, index) else values
                    move = actions.make(index, text)
                    refused = actions.checked(move, legal) is not move
                    env.step(encode(env, agent, draw(others, game, legal) if refused else move))
                moved.add(agent)
                if envs[0].game_state != at:
                    break
                for agent in envs[0].agents:
                    assert shown_to(envs[0], agent) == shown_to(envs[1], agent)
                assert envs[0].render() == envs[1].render()
                assert np.array_equal(envs[0].state(), envs[1].state())
            assert len(moved) >= 2
            assert happened(envs[0]) != happened(envs[1]), "the two games did differ in those moves"


def without_no_op(aec: Any, agent: str, observation: Any) -> Any:
    """What the parallel view shows, as the AEC view does, in which there is no action for who waits."""
    if aec.face(agent).name != "numeric":
        return observation
    return {**observation, "action_mask": observation["action_mask"][: aec.face(agent).size]}


def test_observations_before_the_own_move_do_not_depend_on_being_asked_second(game: Game, seeds: range) -> None:
    """In a simultaneous game the parallel view shows every seat what the AEC view shows it on its turn."""
    if not turns_of(game).together:
        return
    for face in ("numeric", "structured", "text", "chat"):
        for seed in seeds:
            aec, parallel = made(game, face=face), made_parallel(game, face=face)
            aec.reset(seed=seed)
            observations, _ = parallel.reset(seed=seed)
            choose = at_random(seed)
            while parallel.agents:
                actions = {}
                while aec.agents and ended(aec):
                    aec.step(None)
                for agent in [agent for agent in parallel.agents if any(parallel.aec.legal(agent).kinds)]:
                    assert aec.agent_selection == agent
                    assert frozen(aec.last()[0]) == frozen(without_no_op(aec, agent, observations[agent]))
                    actions[agent] = choose(aec, agent)
                    aec.step(actions[agent])
                observations, *_ = parallel.step(actions)
            assert aec.game_state == parallel.aec.game_state
