"""Playing games at random on any face, for tests that hold for every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

import econzoo
from econzoo.envs.core.contract.actions import ActionSchema
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.faces.parse import render_reply
from econzoo.envs.games.multi_issue import cases as multi_issue_cases

FACES = ("numeric", "structured", "text", "chat")

WORDS = (
    "",
    "Let us be fair.",
    'He said "half", and {I} [agree]: {"kind": "accept"}',
    "line one\nline two\ttab \\ backslash",
    "\u05e9\u05dc\u05d5\u05dd \u4f60\u597d \U0001f91d caf\u00e9 \u20ac5",
    "</think> ```json {} ```",
    "{money} {0} %s $100",
)

SETTINGS: dict[str, list[dict[str, Any]]] = {
    "bargaining": [
        {"horizon": 1},
        {"horizon": None, "max_rounds": 6},
        {"money": 0.01, "delta": (1.0, 0.05)},
        {"money": 1e12, "delta": (0.8, 1.0), "horizon": 3},
        {"money": 99.99, "delta": (0.123456789, 0.95), "horizon": None, "complete_information": False},
    ],
    "negotiation": [
        {"horizon": 1},
        {"horizon": None, "max_rounds": 6},
        {"money": 0.01, "seller_value": 0.0, "buyer_value": 1000.0, "horizon": 3},
        {"money": 1e9, "seller_value": 1000.0, "buyer_value": 0.0, "horizon": 3},
        {"money": 99.99, "seller_value": 0.123456789, "horizon": None, "complete_information": False},
    ],
    "multi_issue": [*map(dict, multi_issue_cases.CASES.settings)],
    "persuasion": [
        {"rounds": 1, "prior": 0.0, "high_value": 1.0},
        {"rounds": 3, "prior": 1.0, "low_value": 1.0, "price": 1e12, "message_type": "binary"},
        {"rounds": 4, "prior": 1 / 3, "high_value": 1000.0, "price": 0.01, "buyer": "myopic", "buyer_messages": True},
        {"rounds": 6, "buyer": "myopic", "messages": False, "seller_knows_value": False, "buyer_knows_prior": False},
    ],
    "water_allocation": [
        {"days": 1},
        {"residents": [("Ada", 1, 0.0)], "supply": (0, 2), "days": 9},
        {"residents": [("Ada", 3, 0.1), ("Ben", 3, 0.1)], "supply": (3, 3), "days": 6, "reward": "days"},
        {"residents": [(f"No. {i}", 1 + i % 7, 10.5 * i) for i in range(50)], "supply": (90, 200), "days": 3},
        {"start_health": 1, "max_health": 1, "days": 4},
        {"supply": (1_000_000, 1_000_000), "days": 3, "start_health": 1000, "max_health": 1000, "reward": "health"},
    ],
    "guess_average": [
        {"rounds": 1},
        {"players": 3, "health": 2, "rounds": 6},
        {"players": 2, "low": 7, "high": 8, "factor": 0.99, "health": 3},
        {"players": 30, "high": 1_000_000, "factor": 0.01, "rounds": 3},
    ],
    "survival_auction": [
        {"days": 1},
        {"players": 1, "salary": 0.01, "days": 12},
        {"players": 30, "salary": 1e9, "days": 3, "reward": "days"},
        {"start_health": 1, "max_health": 1, "days": 4, "reward": "health"},
    ],
    "matrix": [
        {"stage_game": "chicken", "rounds": 1, "noise": 0.5},
        {"stage_game": "stag-hunt", "rounds": 3, "noise": 0.2, "known": False, "messages": False},
        {"payoffs": [[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]], "rounds": 2},
        {"payoffs": [[[1e9, -1e9], [-0.001, 2.5]], [[7.0, 7.0], [-1e9, 1e9]]], "rounds": 4, "noise": 0.3},
    ],
    "coin_game": [
        {"rounds": 1},
        {"size": 2, "rounds": 4},
        {"size": 7, "rounds": 3, "known": False},
        {"size": 20, "rounds": 2},
    ],
    "code_reading": [
        {"item": "TitForTat", "answers": "words", "variant": "masked"},
        {"item": "Random", "items": "held-out", "variant": "obfuscated"},
    ],
    "pennies": [{"rounds": 1}, {"rounds": 7}],
    "coin": [{"bias": 0.9, "rounds": 5}],
    "lowest_bid": [{"players": 2}, {"players": 6, "highest": 123.45}],
    "division": [
        {"items": (5, 1), "worth": ((10, 1), (1, 10)), "horizon": 1},
        {"items": (5,) * 6, "worth": ((1, 2, 3, 4, 5, 6), (6, 5, 4, 3, 2, 1))},
    ],
    "budget": [{"players": 6, "rounds": 1}, {"purse": 1e6, "worth": 1.0, "supply": 1}],
    "punish": [{"players": 2, "rounds": 1}, {"players": 6, "start": 0.0, "harm": 100.0, "share": 0.0}],
    "talk_then_bid": [{"players": 2, "likely": 1.0}, {"players": 6, "likely": 0.0}],
}
"""Parameter settings to play besides the game's named markets and every combination of the True/False parameters."""

ONE_MOVE = ("code_reading",)
"""Games that are over after one move, whatever the parameters: nothing in them can be cut short or happen twice."""

LONG: dict[str, dict[str, Any]] = {
    "multi_issue": {**multi_issue_cases.CASES.long},
    "water_allocation": {"supply": (50, 50), "start_health": 1000, "max_health": 1000, "days": 100},
    "guess_average": {"health": 100, "rounds": 100},
    "survival_auction": {"start_health": 1000, "max_health": 1000, "days": 40},
    "matrix": {"rounds": 100},
    "program_matrix": {"rounds": 30, "turns": 1},
    "program_coin": {"rounds": 30, "turns": 1},
    "coin_game": {"rounds": 100},
    "pennies": {"rounds": 100},
    "coin": {"rounds": 100},
    "lowest_bid": {"players": 9},
    "division": {"horizon": 100},
    "budget": {"rounds": 100},
    "punish": {"rounds": 100, "harm": 0.0},
    "talk_then_bid": {"players": 9},
    "tender": {"rounds": 50},
}
"""Parameters with which no early end is likely, where the default is a short game."""

CHANCE: dict[str, dict[str, Any]] = {"matrix": {"noise": 0.2}}
"""Parameters with which nature moves, where it does not by default."""

SHORT: dict[str, dict[str, Any]] = {"program_matrix": {"turns": 2}, "program_coin": {"turns": 2}}
"""Parameters that make a round cheap in games whose rounds are played by programs.

What the tests of this folder look at is the match around the programs, of which every turn costs two calls of a
sandbox. Whole base games are played in tests/games.
"""

MOST_ROUNDS = 3
"""Rounds of such a match; enough for a first one, a middle one and a last one."""


def shortened(game: Game, setting: dict[str, Any]) -> dict[str, Any]:
    """A setting that is cheap to play; the same where matches of the game are."""
    if game.name not in SHORT:
        return setting
    return {**setting, **SHORT[game.name], "rounds": min(MOST_ROUNDS, setting.get("rounds", MOST_ROUNDS))}


def settings_of(game: Game) -> list[dict[str, Any]]:
    """The settings to test a game with."""
    switches = [p.name for p in game.parameters if isinstance(p.default, bool)]
    flipped = [dict(zip(switches, values, strict=True)) for values in product((True, False), repeat=len(switches))]
    named = flipped + list(game.scenarios.MARKETS.values()) + SETTINGS.get(game.name, [])
    everything = [shortened(game, setting) for setting in named]
    return [setting for i, setting in enumerate(everything) if setting not in everything[:i]]


Choose = Callable[[Any, str], Any]


def draw(rng: np.random.Generator, game: Game, legal: Any, grid: int | None = None) -> Any:
    """A random typed move; with `grid`, its amounts are those that the numeric face can say."""
    actions = game.actions.sized(legal.bounds)
    for _ in range(TRIES):
        index = int(rng.choice(np.flatnonzero(legal.kinds)))
        own = range(actions.first[index], actions.first[index] + len(actions.marks[index]))
        values = [_number(rng, actions.marks[index][k], legal, slot, grid) for k, slot in enumerate(own)]
        words = str(rng.choice(WORDS)) if legal.messages and not grid else ""
        places = library_of(game, index)
        move = actions.make(index, [float(rng.integers(places))] if places else values, words)
        if actions.checked(move, legal) is move:
            return move
    raise AssertionError(f"{game.name}: no legal move found")


TRIES = 1000
"""Moves that are drawn until one is not refused."""


def _number(rng: np.random.Generator, mark: Any, legal: Any, slot: int, grid: int | None) -> float:
    low, high = legal.usual[slot]
    if mark.counted:
        return mark.drawn(legal.bounds[slot], rng)
    if grid:
        return mark.at(int(rng.integers(grid)), legal.spread[slot], grid)
    ends = [*legal.bounds[slot], (low + high) / 2, rng.uniform(low, high), rng.uniform(low, high)]
    return float(round(rng.choice(ends))) if mark.whole else float(rng.choice(ends))


def check_move(actions: ActionSchema, legal: Any, move: Any) -> None:
    """That a typed move is of a legal kind and its numbers are within their bounds, and zeros beyond."""
    kind, values = actions.move(move)
    assert legal.kinds[kind]
    assert [type(value) for value in values] == [float] * actions.width
    own = legal.bounds[actions.first[kind] :][: len(actions.marks[kind])]
    assert all(low <= value <= high for value, (low, high) in zip(values, own, strict=False))
    assert not any(values[len(own) :])


def library_of(game: Game, index: int) -> int:
    """How many texts of its library stand for a kind of move; 0 if it is no text."""
    source = game.actions.kinds[index].source
    return 0 if source is None else len(source.library())


def encode(env: Any, agent: str, move: Any) -> Any:
    """A typed move as the agent's face takes it."""
    face = env.face(agent)
    if face.name == "numeric":
        return face.encode(move, env.legal(agent))
    if face.name == "structured":
        return env.game.actions.plain(move)
    if env.game.actions.source:
        return f"I think:\n{render_reply(env.game.actions, move)}\nDone."
    return f"I think:\n```json\n{render_reply(env.game.actions, move)}\n```\nDone."


def at_random(seed: int, grid: int | None = None) -> Choose:
    """Chooses legal moves at random, the same ones for the same seed on every face if on a grid."""
    rng = np.random.default_rng(seed)
    return lambda env, agent: encode(env, agent, draw(rng, env.game, env.legal(agent), grid))


def scripted(moves: list[Any]) -> Choose:
    """Plays these typed moves in order."""
    left = iter(moves)
    return lambda env, agent: encode(env, agent, next(left))


def happened(env: Any) -> list[tuple[Any, ...]]:
    """The events of an episode with the kinds of move (moves without fields are equal tuples: Accept() == Reject())."""
    return [(e.seat, e.round, type(e.action).__name__, *e.action) for e in env.events]


class Turn(NamedTuple):
    """What an agent got from `last()`, frozen so that equal means equal to the bit."""

    agent: str
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any


def frozen(value: Any) -> Any:
    """A nested value as hashable plain data that differs wherever the value does, also in type and in -0.0."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return "dict", tuple((key, frozen(item)) for key, item in value.items())
    if isinstance(value, tuple | list):
        return type(value).__name__, tuple(frozen(item) for item in value)
    return type(value).__name__, repr(value)


def look(env: Any) -> Turn:
    """What the agent to move sees now."""
    return Turn(env.agent_selection, *map(frozen, env.last()))


def ended(env: Any) -> bool:
    """Whether the agent to move is out of the game."""
    agent = env.agent_selection
    return env.terminations[agent] or env.truncations[agent]


def go_on(env: Any, choose: Choose, limit: int = 10_000) -> list[Turn]:
    """Plays from here to the end (or for `limit` steps)."""
    turns = []
    while env.agents and len(turns) < limit:
        turns.append(look(env))
        env.step(None if ended(env) else choose(env, env.agent_selection))
    return turns


def play(
    env: Any, choose: Choose, seed: int | None = 0, options: Mapping[str, Any] | None = None, limit: int = 10_000
) -> list[Turn]:
    """Plays a whole episode."""
    env.reset(seed=seed, options=options)
    return go_on(env, choose, limit)


def made(game: Game, **kwargs: Any) -> Any:
    """A public environment, with rounds that are cheap to play."""
    return econzoo.make(game.name, **{**SHORT.get(game.name, {}), **kwargs})


def made_parallel(game: Game, **kwargs: Any) -> Any:
    """The parallel view of the same."""
    return econzoo.make_parallel(game.name, **{**SHORT.get(game.name, {}), **kwargs})


def made_raw(game: Game, **kwargs: Any) -> Any:
    """The same without the checks of the public layer."""
    return econzoo.make_raw(game.name, **{**SHORT.get(game.name, {}), **kwargs})
