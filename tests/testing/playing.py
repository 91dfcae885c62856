"""Random play on any face, for checks of all games."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pettingzoo
from gymnasium.spaces import Discrete

from econzoo.envs import constructors
from econzoo.envs.core import registry
from econzoo.envs.core.contract import ActionSchema, Game, alphabet
from econzoo.envs.core.faces import render_reply

FACES = ("numeric", "structured", "text", "chat")

# Messages that could break lines, JSON, tags, fences or fields of templates.
WORDS = (
    "",
    "Let us be fair.",
    'He said "half", and {I} [agree]: {"kind": "accept"}',
    "line one\nline two\ttab \\ backslash",
    "\u05e9\u05dc\u05d5\u05dd \u4f60\u597d \U0001f91d caf\u00e9 \u20ac5",
    "</think> ```json {} ```",
    "{money} {0} %s $100",
)


@contextmanager
def register_temporarily(*games: Game) -> Iterator[None]:
    """Context manager that registers games temporarily."""
    tables: list[dict[str, Any]] = [registry._GAMES, registry._LOADED_GAMES, gymnasium.registry, *_pettingzoo_tables()]
    saved = [dict(table) for table in tables]
    for game in games:
        if not _is_registered(game):
            registry.register_game(game.name, game, game.version)
    try:
        yield
    finally:
        for table, entries in zip(tables, saved, strict=True):
            table.clear()
            table.update(entries)


def _is_registered(game: Game) -> bool:
    """Whether this game object is registered under its name."""
    return game.name in registry.games() and registry.game(game.name) is game


def _pettingzoo_tables() -> tuple[dict[str, Any], ...]:
    """PettingZoo's registries; none if its version is < 1.27."""
    return tuple(
        getattr(pettingzoo, name) for name in ("aec_registry", "parallel_registry") if hasattr(pettingzoo, name)
    )


def shorten_setting(game: Game, setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cheaper variant of a setting (`Cases.short`), or the setting itself."""
    return {**setting, **{name: min(most, setting.get(name, most)) for name, most in game.cases.short.items()}}


def settings_of(game: Game) -> list[dict[str, Any]]:
    """Return the settings to test a game with."""
    switches = [p.name for p in game.parameters if isinstance(p.default, bool)]
    flipped = [dict(zip(switches, values, strict=True)) for values in product((True, False), repeat=len(switches))]
    named = flipped + list(game.scenarios.SETTINGS.values()) + list(game.cases.settings)
    everything = [shorten_setting(game, setting) for setting in named]
    return [setting for i, setting in enumerate(everything) if setting not in everything[:i]]


@contextmanager
def expect_value_error(pattern: str) -> Iterator[None]:
    """Context manager that expects a `ValueError` with a matching message."""
    message = None
    try:
        yield
    except ValueError as error:
        message = str(error)
    assert message is not None, f"no error was raised; expected {pattern}"
    assert re.search(pattern, message), f"raised {message}; expected {pattern}"


def check_unknown_options(game: Game, env: Any) -> None:
    """Assert that `reset` refuses unknown names, and tells where parameters and seeds belong."""
    env.reset(seed=1, options={})  # as checkers of libraries do
    for name in {*game.defaults} - {*game.options.nature}:
        with expect_value_error(f"options={{'params': {{'{name}': ...}}}}"):
            env.reset(seed=1, options={name: game.defaults[name]})
    for name, remedy in (("sead", "reset\\(seed=...\\)"), ("parms", "'params'"), ("qqqqq", "allowed: params")):
        with expect_value_error(remedy):
            env.reset(seed=1, options={name: 1})


def reset_alike(env: Any, seed: int, chance: Sequence[float] = ()) -> None:
    """Start a match in which what `chance` does not fix depends on the seed alone, not on the parameters."""
    # The hash of the setting, parameters included, is part of every seed.
    env._setting = ""
    env.reset(seed=seed, options={"chance": list(chance)})


Choose = Callable[[Any, str], Any]


def draw(rng: np.random.Generator, game: Game, legal: Any, grid: int | None = None) -> Any:
    """Sample a typed move; with `grid`, amounts are on the numeric face's grid."""
    actions = game.actions.fit_to_bounds(legal.bounds)
    for _ in range(MAX_TRIES):
        index = int(rng.choice(np.flatnonzero(legal.kinds)))
        own = range(actions.first[index], actions.first[index] + len(actions.marks[index]))
        values = [_sample_number(rng, actions.marks[index][k], legal, slot, grid) for k, slot in enumerate(own)]
        words = str(rng.choice([*alphabet(legal.messages)] or WORDS)) if legal.messages and not grid else ""
        places = library_size(game, index)
        move = actions.make(index, [float(rng.integers(places))] if places else values, words)
        if actions.validate_action(move, legal) is move:
            return move
    raise AssertionError(f"{game.name}: found no legal move")


MAX_TRIES = 1000
"""Attempts to sample a legal move."""

POLICIES = 8
"""Number of random players to try in order to reach all parts of a game."""


def _sample_number(rng: np.random.Generator, mark: Any, legal: Any, slot: int, grid: int | None) -> float:
    low, high = legal.usual_bounds[slot]
    if mark.is_discrete:
        return mark.sample(legal.bounds[slot], rng)
    if grid:
        return mark.value_at(int(rng.integers(grid)), legal.grid_bounds[slot], grid)
    ends = [*legal.bounds[slot], (low + high) / 2, rng.uniform(low, high), rng.uniform(low, high)]
    return float(round(rng.choice(ends))) if mark.is_integer else float(rng.choice(ends))


def check_move(actions: ActionSchema, legal: Any, move: Any) -> None:
    """Assert that a typed move has a legal kind, numbers within bounds, and zeros beyond."""
    kind, values = actions.move(move)
    assert legal.kinds[kind]
    assert [type(value) for value in values] == [float] * actions.width
    own = legal.bounds[actions.first[kind] :][: len(actions.marks[kind])]
    assert all(low <= value <= high for value, (low, high) in zip(values, own, strict=False))
    assert not any(values[len(own) :])


def choices(space: Any) -> int:
    """Return the number of actions of a numeric space; of composite actions, the number of kinds of move."""
    return int(space.n if isinstance(space, Discrete) else space.nvec[0])


def no_op(space: Any) -> Any:
    """Return the last action: the no-op, if there is one."""
    last = choices(space) - 1
    return last if isinstance(space, Discrete) else np.array([last, *[0] * (len(space.nvec) - 1)])


def library_size(game: Game, index: int) -> int:
    """Return the size of the library of a kind of move; 0 if it is not a text."""
    source = game.actions.kinds[index].source
    return 0 if source is None else len(source.library())


def encode(env: Any, agent: str, move: Any) -> Any:
    """Encode a typed move for the agent's face."""
    face = env.face(agent)
    if face.name == "numeric":
        return face.encode(move, env.legal(agent))
    if face.name == "structured":
        return env.game.actions.to_plain(move)
    if env.game.actions.source:
        return f"I think:\n{render_reply(env.game.actions, move)}\nDone."
    return f"I think:\n```json\n{render_reply(env.game.actions, move)}\n```\nDone."


def random_policy(seed: int, grid: int | None = None) -> Choose:
    """Return a random policy; with a grid, one seed gives the same moves on all faces."""
    rng = np.random.default_rng(seed)
    return lambda env, agent: encode(env, agent, draw(rng, env.game, env.legal(agent), grid))


def typed_events(env: Any) -> list[tuple[Any, ...]]:
    """Return the events of an episode with the kinds of move (moves without fields are equal: Accept() == Reject())."""
    return [(e.seat, e.round, type(e.action).__name__, *e.action) for e in env.events]


class Turn(NamedTuple):
    """Result of `last()` for an agent, frozen for bitwise comparison."""

    agent: str
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any


def freeze(value: Any) -> Any:
    """Return a nested value as hashable plain data that also distinguishes types and -0.0."""
    kind = type(value)
    if kind in PLAIN_TYPES:
        return kind, repr(value) if kind is float else value
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return kind, tuple([freeze(item) for item in value])
    if isinstance(value, Mapping):
        return "dict", tuple([(key, freeze(item)) for key, item in value.items()])
    return kind, repr(value)


PLAIN_TYPES = {int, float, str, bool, type(None)}
"""Kinds of value that have no parts, and of which nothing is derived."""


def observe_turn(env: Any) -> Turn:
    """Return the observation of the agent to move."""
    return Turn(env.agent_selection, *map(freeze, env.last()))


def has_ended(env: Any) -> bool:
    """Whether the agent to move is terminated or truncated."""
    agent = env.agent_selection
    return env.terminations[agent] or env.truncations[agent]


def positions_of(env: Any, choose: Choose, seed: int) -> Iterator[str]:
    """Play a match, yielding the agent to move in each position before its move."""
    env.reset(seed=seed)
    while env.agents:
        yield env.agent_selection
        env.step(None if has_ended(env) else choose(env, env.agent_selection))


def play_on(env: Any, choose: Choose, limit: int = 10_000) -> list[Turn]:
    """Play to the end, or for `limit` steps."""
    turns: list[Turn] = []
    while env.agents and len(turns) < limit:
        turns.append(observe_turn(env))
        env.step(None if has_ended(env) else choose(env, env.agent_selection))
    return turns


def play(
    env: Any, choose: Choose, seed: int | None = 0, options: Mapping[str, Any] | None = None, limit: int = 10_000
) -> list[Turn]:
    env.reset(seed=seed, options=options)
    return play_on(env, choose, limit)


def make_env(game: Game, **kwargs: Any) -> Any:
    """Create a public environment in a cheap setting."""
    return constructors.make(game.name, **{**game.cases.short, **kwargs})


def make_parallel_env(game: Game, **kwargs: Any) -> Any:
    """Create the parallel environment in a cheap setting."""
    return constructors.make_parallel(game.name, **{**game.cases.short, **kwargs})


def make_raw_env(game: Game, **kwargs: Any) -> Any:
    """Create the raw environment in a cheap setting."""
    return constructors.make_raw(game.name, **{**game.cases.short, **kwargs})


@contextmanager
def ignore_warnings() -> Iterator[None]:
    """Suppress warnings of testers that do not support Dict or text observations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def game_module(game: Game, **kwargs: Any) -> SimpleNamespace:
    """Return a stand-in for the versioned module of a game in PettingZoo's tests."""
    makers = {"env": constructors.make, "raw_env": constructors.make_raw, "parallel_env": constructors.make_parallel}
    return SimpleNamespace(**{name: partial(maker, game.name, **kwargs) for name, maker in makers.items()})
