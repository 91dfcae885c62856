"""Matches of programs, for the tests of both games in which programs play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.contract import CHANCE, Move, Ruling, hash_seed
from econzoo.envs.families.open_source import Failure, Interface
from econzoo.envs.families.open_source.sandbox import unavailable_reason

sandboxed = pytest.mark.skipif(unavailable_reason() is not None, reason=str(unavailable_reason()))
"""For tests in which programs run."""

WORDS = {"C": "C", "D": "D", "U": "UP", "L": "LEFT", "R": "RIGHT"}


def head(interface: Interface) -> str:
    """The first line of a program."""
    return f"def strategy_function({', '.join(interface.parameters)}):"


def program(interface: Interface, *lines: str, before: str = "") -> str:
    """A program with these lines in its entry function."""
    return "\n".join([before, head(interface), *["    " + line for line in lines]]).strip("\n") + "\n"


def tape(interface: Interface, moves: Sequence[str]) -> str:
    """A program that makes these moves in order, again and again, and raises an error for a move called ``!``."""
    return program(
        interface,
        f"move = {list(moves)!r}[len(my_history) % {len(moves)}]",
        "if move == '!':",
        "    raise ValueError('no idea')",
        "return move",
    )


def failing(interface: Interface) -> dict[Failure, str]:
    """A program for each way to fail, in every turn."""
    return {
        Failure.NO_PROGRAM: "def another_name(x):\n    return 'C'\n",
        Failure.SYNTAX_ERROR: head(interface) + "\n    return ('C'\n",
        Failure.WRONG_RETURN: program(interface, "return 'cooperate'"),
        Failure.EXCEPTION: program(interface, "return 1 / 0"),
        Failure.LIMIT: program(interface, "return strategy_function" + f"({', '.join(interface.parameters)})"),
    }


def ruled(name: str, sources: Sequence[str], seed: int = 0, **params: Any) -> Ruling:
    """What the referee says of two programs in a first meta-round, whose luck they could guess."""
    game = econzoo.game(name)
    p = game.params(**params)[1]
    return game.referee.rule_sources(p, game.rules.initial(p), sources, seed, hash_seed)


def submitted(name: str, *rounds: Sequence[str], seed: int = 0, face: str = "structured", **kwargs: Any) -> Any:
    """An environment after these meta-rounds, each with the sources of both seats."""
    env = econzoo.make(name, face=face, render_mode="ansi", **kwargs)
    env.reset(seed=seed)
    for sources in rounds:
        for source in sources:
            env.step({"program": source} if face == "structured" else f"```python\n{source}\n```")
    return env


def results(env: Any) -> list[Any]:
    """The public results of all meta-rounds, those of seat 0 first in each."""
    return [event.fact for event in env.events]


def of_players(ruling: Ruling) -> list[tuple[Move, Move]]:
    """The moves of both players of a ruling, turn by turn, without nature's."""
    moves = [move for move in ruling.moves if move.kind != CHANCE]
    return list(zip(moves[::2], moves[1::2], strict=True))


def of_nature(ruling: Ruling) -> list[float]:
    """Nature's moves of a ruling."""
    return [move.values[0] for move in ruling.moves if move.kind == CHANCE]


def random_words(rng: np.random.Generator, interface: Interface, turns: int) -> list[str]:
    """Moves drawn at random."""
    return [interface.moves[int(i)] for i in rng.integers(len(interface.moves), size=turns)]
