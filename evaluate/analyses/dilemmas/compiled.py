"""Matches of two strategies: the loop over the rounds for plain Python, and as machine code.

Numba makes machine code from the very functions that Python runs. Every strategy is compiled with the same signature
and passed to the loop as a pointer, so that the loop is compiled once for all strategies. What was compiled is kept in
the cache folder; the name of the file there says what it was made from.
"""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

from econzoo.baselines.matrix import classic
from econzoo.baselines.matrix.classic import Move, Numbers
from econzoo.envs.core.files import bytes_of, write_file
from econzoo.envs.core.folders import cache_folder
from econzoo.envs.core.vector.compiling import numba

__all__ = ["loop", "quiet", "strategy"]


def match(
    first: Move,
    second: Move,
    given_first: Numbers,
    given_second: Numbers,
    lots: Sequence[Sequence[float]],
    turns: int,
    horizon: int,
    noise: float,
    mine: Any,
    theirs: Any,
) -> tuple[int, int, int, int]:
    """One match.

    Args:
        first: Strategy of the first player.
        second: Strategy of the second.
        given_first: Numbers of the first strategy.
        given_second: Numbers of the second.
        lots: Uniform numbers of each round: of the first and of the second player, and with noise two more, which say
            whose hand trembles.
        turns: Rounds.
        horizon: Rounds as the players know them.
        noise: Probability that a move comes out as the other one.
        mine: Room for the moves of the first player; what was there before does not matter.
        theirs: Room for the moves of the second.

    Returns:
        In how many rounds the outcome was CC, CD, DC and DD, the first player's move named first.
    """
    cc, cd, dc, dd = 0, 0, 0, 0
    for turn in range(turns):
        drawn = lots[turn]
        one = first(mine, theirs, turn, horizon, drawn[0], given_first)
        other = second(theirs, mine, turn, horizon, drawn[1], given_second)
        if noise > 0.0:
            one = 1 - one if drawn[2] < noise else one
            other = 1 - other if drawn[3] < noise else other
        mine[turn], theirs[turn] = one, other
        cc += (1 - one) * (1 - other)
        cd += (1 - one) * other
        dc += one * (1 - other)
        dd += one * other
    return cc, cd, dc, dd


def matches(
    strategies: Sequence[Move],
    given: Sequence[Numbers],
    who: Sequence[Sequence[int]],
    lots: Sequence[Sequence[Sequence[float]]],
    turns: int,
    horizon: int,
    noise: float,
    mine: Any,
    theirs: Any,
    outcomes: Any,
) -> None:
    """Many matches, one after the other; ``who`` plays in each, and its result goes to its row of ``outcomes``."""
    for k in range(len(who)):
        i, j = who[k][0], who[k][1]
        told = match(strategies[i], strategies[j], given[i], given[j], lots[k], turns, horizon, noise, mine, theirs)
        outcomes[k][0], outcomes[k][1], outcomes[k][2], outcomes[k][3] = told


OURS = (classic.__name__.rpartition(".")[0], __name__.rpartition(".")[0])
"""Packages whose text is part of the name of what is kept; functions of others are compiled in every process."""


def loop(strategies: int) -> Callable[..., None]:
    """The compiled `econzoo.evaluate.analyses.dilemmas.compiled.matches` for so many strategies."""
    types = numba().types
    history = types.Array(types.int8, 1, "C")
    numbers, drawn = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")
    table = types.Array(types.int64, 2, "C")
    with quiet():
        pointers = types.UniTuple(types.FunctionType(_strategy_type()), strategies)
    whole, real = types.int64, types.float64
    return _made(matches, types.void(pointers, numbers, table, drawn, whole, whole, real, history, history, table))


def strategy(move: Move) -> Any:
    """A strategy's function as machine code.

    Raises:
        ImportError: Numba is not installed.
        ValueError: The function cannot be compiled; the message says why.
    """
    try:
        return _made(move, _strategy_type())
    except (numba().core.errors.NumbaError, numba().core.errors.UnsupportedBytecodeError) as error:
        told = str(error).strip().splitlines()[0]
        raise ValueError(f"strategy {getattr(move, '__name__', move)} cannot be compiled: {told}") from error


@cache
def _strategy_type() -> Any:
    types = numba().types
    history, numbers = types.Array(types.int8, 1, "C"), types.Array(types.float64, 1, "C")
    return types.int64(history, history, types.int64, types.int64, types.float64, numbers)


@cache
def _made(function: Any, signature: Any = None) -> Any:
    """A copy of a function whose global names are bound to compiled functions, compiled."""
    kept_at = None if signature is None else _kept_at(function)
    code = function.__code__ if kept_at is None else function.__code__.replace(co_filename=str(kept_at))
    scope: dict[str, Any] = {"__builtins__": builtins, "__name__": function.__module__}
    for name in code.co_names:
        if name in function.__globals__:
            value = function.__globals__[name]
            scope[name] = _made(value) if isinstance(value, FunctionType) else value
    copy = FunctionType(code, scope, function.__name__, function.__defaults__, function.__closure__)
    with quiet():
        options = {"nogil": True, "cache": kept_at is not None}
        return numba().njit(copy, **options) if signature is None else numba().njit(signature, **options)(copy)


@contextmanager
def quiet() -> Iterator[None]:
    """Numba calls functions that are passed as pointers experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _kept_at(function: Any) -> Path | None:
    """The file beside which Numba keeps a compiled function; None if it cannot be kept."""
    if not function.__module__.startswith(OURS):
        return None
    folder = cache_folder() / "dilemmas"
    path = folder / f"{function.__module__.rpartition('.')[2]}_{function.__name__}_{_print_of_sources()}.txt"
    try:
        if not path.exists():
            write_file(path, f"{function.__module__}.{function.__qualname__}\n")
    except OSError:
        return None
    return path


@cache
def _print_of_sources() -> str:
    """A short name for the text of all modules that a kept function may have been made from."""
    folders: Sequence[Path] = [Path(classic.__file__).parent, Path(__file__).parent]
    text = b"\0".join(bytes_of(file) for folder in folders for file in sorted(folder.glob("*.py")))
    return sha256(text).hexdigest()[:16]
