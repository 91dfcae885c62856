"""Playthroughs as text: what a match looks like to the rules, to numbers and to readers, line by line.

OpenSpiel's habit: the files beside this one hold them, a test makes them anew and compares, and a change of behaviour
shows as a change of a file that a person can read. Three files a game, so that each can change alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from itertools import groupby
from random import Random
from typing import Any

import numpy as np

import econzoo
from econzoo.baselines import items_of
from econzoo.envs.core import game as game_named
from goldens.answers import numeric_answer, plain_answer, turns
from goldens.settings import SEEDS, SETTINGS, Setting

Lines = Iterator[str]


def started(name: str, setting: Setting, seed: int, face: str) -> Any:
    """An environment at the start of a match."""
    env = econzoo.make_raw(name, face=face, **setting.options, **setting.params)
    env.reset(seed=seed)
    return env


# -- rules and payoffs -------------------------------------------------------------------------------------


def rules_of_a_match(name: str, setting: Setting, seed: int) -> Lines:
    """Positions, views, what is legal, what happened, and what it was worth."""
    env, rng, shown = started(name, setting, seed, "structured"), Random(seed), None
    yield f"parameters: {env.params}"
    yield f"a view: {', '.join(env.view(0)._fields)}"
    for agent in turns(env):
        seen = env.observe(agent)
        yield from _position(env) if env.game_state is not shown else ()
        shown = env.game_state
        yield f"  {agent} may: {_told(env.json_schema(agent))}; usual {_exact(seen['span'])}"
        yield f"  {agent} is told: {_aside(env.infos[agent])}"
        yield from (f"  sees: {_exact(event)}" for event in seen["history"][-2:])
        answer = plain_answer(env, agent, rng)
        env.step(answer)
        yield f"  answers: {_exact(answer)}; then {len(env.events)} events"
    yield from _position(env)
    yield from _end(env)


def _position(env: Any) -> Lines:
    yield str(env.game_state)
    for seat in range(len(env.possible_agents)):
        yield f"  {seat}: {tuple(env.view(seat))}"


def _end(env: Any) -> Lines:
    yield f"chance: {_exact(env.chance_draws)}"
    yield f"moves {env.moves}, errors {env.errors}, defaults {env.defaults}, forfeited {env.forfeiting_seat}"
    yield f"payoffs: {_exact(env.payoffs)}"
    for definition in env.game.metrics.DEFINITIONS:
        yield f"{definition}: {_exact(asdict_of(env.outcome(definition)))}"
    yield f"rewards: {_exact([env.seat_reward(seat) for seat in range(len(env.possible_agents))])}"
    for agent in env.possible_agents:
        yield f"{agent}: {_exact(env.infos.get(agent, {}))}"
        yield from (f"  {_exact(event)}" for event in env.observe(agent)["history"])


def asdict_of(outcome: Any) -> dict[str, Any]:
    """The fields of an outcome."""
    return dict(outcome._asdict()) if hasattr(outcome, "_asdict") else asdict(outcome)


def _told(schema: dict[str, Any]) -> str:
    """What a schema allows, without its words."""
    return " | ".join(_kind(one["properties"]) for one in schema.get("anyOf", [schema]))


def _kind(properties: dict[str, Any]) -> str:
    return " ".join(f"{name} {_allowed(part)}" for name, part in properties.items())


def _allowed(part: dict[str, Any]) -> str:
    if "const" in part:
        return str(part["const"])
    if part["type"] == "string":
        return f"of {part['maxLength']} characters"
    if part["type"] == "array":
        return f"[{', '.join(map(_allowed, items_of(part)))}]"
    return f"{part['type']} from {part['minimum']!r} to {part['maximum']!r}"


def _aside(info: dict[str, Any]) -> str:
    return _exact({key: value for key, value in info.items() if key not in ("action_mask", "legal_actions")})


def _exact(value: Any) -> str:
    """Plain values to the last digit."""
    return json.dumps(value, ensure_ascii=False, default=_of_numpy)


def _of_numpy(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else str(value)


# -- numeric faces -----------------------------------------------------------------------------------------


def numbers_of_a_match(name: str, setting: Setting, seed: int) -> Lines:
    """Spaces, features, masks, and the moves behind the numbers."""
    env, rng, shown = started(name, setting, seed, "numeric"), Random(seed), None
    for agent in env.possible_agents[:2]:
        yield f"{agent}: {env.observation_space(agent)!r} {env.action_space(agent)}"
    for agent in turns(env):
        for other in env.possible_agents if env.game_state is not shown else ():
            yield f"  {other}: {_numbers(env.observe(other)['observation'])}"
        shown = env.game_state
        mask = env.infos[agent]["action_mask"]
        yield f"  {agent} may: {_runs(mask)}"
        yield f"  so that: {_moves(env, agent, mask, Random(len(mask)))}"
        answer = numeric_answer(mask, rng)
        env.step(answer)
        yield f"  answers {answer}; {len(env.events)} events, errors {env.errors}"
        yield from (f"    {_exact(env.game.actions.to_plain(event.action))}" for event in env.events[-1:])
    yield f"{len(env.events)} events, rewards {_exact(env.rewards)}, payoffs {_exact(env.payoffs)}"


def _numbers(features: np.ndarray) -> str:
    return " ".join(str(x) for x in features)


def _runs(mask: np.ndarray) -> str:
    """Lengths of equal parts: ``101 x 1, 2 x 0``."""
    return ", ".join(f"{len(list(run))} x {flag}" for flag, run in groupby(mask.tolist()))


def _moves(env: Any, agent: str, mask: np.ndarray, rng: Random) -> str:
    """What some of the legal numbers mean."""
    legal = np.flatnonzero(mask).tolist()
    chosen = sorted({legal[0], legal[-1], *rng.sample(legal, min(4, len(legal)))})
    face, possible = env.face(agent), env.legal(agent)
    return "; ".join(f"{n} {_exact(_cut(env.game.actions.to_plain(face.decode(n, possible))))}" for n in chosen)


def _cut(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value[:30] if isinstance(value, str) else value for name, value in plain.items()}


# -- texts -------------------------------------------------------------------------------------------------

FULL_TEXT = 7
"""Of so many turns, one is shown with everything that is told."""


def texts_of_a_match(name: str, setting: Setting, seed: int) -> Lines:
    """What each seat reads: the rules, the news at each turn, everything now and then; and what spectators read."""
    env, answers = started(name, setting, seed, "text"), answers_of_a_match(name, setting, seed)
    chatting = started(name, setting, seed, "chat")
    for seat, agent in enumerate(env.possible_agents):
        yield f"--- rules of {agent}"
        yield env.face(agent).rules(env.view(seat))
    for number, (agent, answer) in enumerate(zip(turns(env), answers, strict=True)):
        yield f"--- {agent}, turn {number}"
        yield chatting.face(agent).text(env.information_state(agent))
        if number % FULL_TEXT == 0:
            yield "--- and with everything"
            yield env.observe(agent)["text"]
        reply = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        env.step(reply)
        yield f">>> {reply}"
    for agent in env.possible_agents[:2]:
        yield f"--- {agent} at the end"
        yield env.observe(agent)["text"]
    env.render_mode = "ansi"
    yield f"--- spectators\n{env.render()}"


def answers_of_a_match(name: str, setting: Setting, seed: int) -> list[Any]:
    """The answers that `rules_of_a_match` shows."""
    env, rng, answers = started(name, setting, seed, "structured"), Random(seed), []
    for agent in turns(env):
        answers.append(plain_answer(env, agent, rng))
        env.step(answers[-1])
    return answers


def schemas(name: str, setting: Setting) -> Lines:
    """JSON schemas, and the reprs of the structured and text spaces."""
    for face in ("structured", "text"):
        env = started(name, setting, 1, face)
        for agent in env.possible_agents[:2]:
            yield f"{agent}: {face} {env.observation_space(agent)!r} {env.action_space(agent)}"
            yield f"  {_exact(env.json_schema(agent))}"


# -- files -------------------------------------------------------------------------------------------------

OneMatch = Callable[[str, Setting, int], Lines]
FILES: dict[str, OneMatch] = {"rules": rules_of_a_match, "numbers": numbers_of_a_match, "texts": texts_of_a_match}
"""Name of the file, and what makes a match of it."""


def playthrough(name: str, file: str) -> str:
    """The content of a file of a game."""
    lines = [f"{name}, version {game_named(name).version}"]
    for label, setting in SETTINGS[name].items():
        if file == "texts":
            lines += [f"\n=== {label}: schemas", *schemas(name, setting)]
        for seed in SEEDS:
            lines += [f"\n=== {label}: {setting.params} {dict(setting.options)}, seed {seed}"]
            lines += FILES[file](name, setting, seed)
    return "\n".join(lines) + "\n"
