"""Two matches that differ only in moves that are still sealed must look the same to everybody."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import econzoo
from econzoo.testing.playing import encode, freeze, has_ended


def shown(env: Any) -> Any:
    """Everything that anybody can get hold of through the environment, byte for byte."""
    out: list[Any] = [tuple(env.agents), env.agent_selection, env.render(), freeze(env.state())]
    for agent in env.agents:
        seen, face = env.information_state(agent), env.face(agent)
        out += [freeze(env.observe(agent)), freeze(env.infos[agent]), env.rewards[agent], freeze(env.info(agent))]
        told = seen._replace(legal=seen.legal._replace(refusal=None))  # a function has no print that could be compared
        out += [env.terminations[agent], env.truncations[agent], freeze(env.json_schema(agent)), repr(told)]
        out += [face.rules(seen.view)] if face.name in ("text", "chat") else []
    return tuple(out)


def play_days(env: Any, days: Sequence[Sequence[float]]) -> None:
    """Plays moves of the living, in the order of seats."""
    for day in days:
        for amount in day:
            step(env, amount)


def step(env: Any, amount: float) -> None:
    """One move, and the dead before it."""
    while has_ended(env):
        env.step(None)
    env.step(encode(env, env.agent_selection, env.game.actions.make(0, (float(amount),))))


def compare_sealed(
    game: str, face: str, days: Sequence[Sequence[float]], one: Sequence[float], other: Sequence[float], **params: Any
) -> int:
    """Plays the same days in two matches, then two different ones; returns how many moves were compared.

    After every move but the last of the day both must look the same; after the last one they must not.
    """
    envs = [econzoo.make(game, face=face, render_mode="ansi", **params) for _ in range(2)]
    for env in envs:
        env.reset(seed=3)
        play_days(env, days)
    for place, pair in enumerate(zip(one, other, strict=True)):
        for env, amount in zip(envs, pair, strict=True):
            step(env, amount)
        if place < len(one) - 1:
            assert shown(envs[0]) == shown(envs[1]), f"move {place} of the day shows on the {face} face"
    assert shown(envs[0]) != shown(envs[1]), "the moves do differ, and are public when the day is over"
    return len(one) - 1


def order_of_asking(game: str, face: str, **params: Any) -> list[Any]:
    """What each seat of a game is shown on its first turn, after different moves of those before it."""
    out = []
    for first in (0.0, 1.0):
        env = econzoo.make(game, face=face, **params)
        env.reset(seed=5)
        looks = []
        for seat in range(len(env.possible_agents)):
            looks.append(freeze(env.last()))
            step(env, env.legal(env.agent_selection).bounds[0][0] + first + seat * first)
        out.append(tuple(looks))
    return out
