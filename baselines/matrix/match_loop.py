"""Matches of two strategies: the loop over the rounds for plain Python, and as machine code.

Numba compiles the same functions that Python runs. Every strategy is compiled with the same signature and passed to the
loop as a pointer, so the loop is compiled once for all strategies. Compiled functions are cached in the cache folder
under names with a hash of their sources.
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

from econzoo.baselines.matrix.classic import Move, Numbers
from econzoo.envs.core import cache_folder, read_bytes, write_file
from econzoo.envs.core.vector import numba

__all__ = ["compile_loop", "compile_strategy", "ignore_numba_warnings", "play_matches"]


def play_match(
    first: Move,
    second: Move,
    first_numbers: Numbers,
    second_numbers: Numbers,
    draws: Sequence[Sequence[float]],
    turns: int,
    horizon: int,
    noise: float,
    mine: Any,
    theirs: Any,
) -> tuple[int, int, int, int]:
    """Play one match.

    Args:
        draws: Uniform numbers of each round: one per player, and with noise another per player for trembles.
        horizon: Number of rounds as known to the players.
        noise: Probability that a move is flipped.
        mine: Buffer for the moves of the first player; contents are overwritten.
        theirs: Buffer for the moves of the second.

    Returns:
        Numbers of rounds with outcomes CC, CD, DC and DD, the first player's move first.
    """
    cc, cd, dc, dd = 0, 0, 0, 0
    for turn in range(turns):
        drawn = draws[turn]
        one = first(mine, theirs, turn, horizon, drawn[0], first_numbers)
        other = second(theirs, mine, turn, horizon, drawn[1], second_numbers)
        if noise > 0.0:
            one = 1 - one if drawn[2] < noise else one
            other = 1 - other if drawn[3] < noise else other
        mine[turn], theirs[turn] = one, other
        cc += (1 - one) * (1 - other)
        cd += (1 - one) * other
        dc += one * (1 - other)
        dd += one * other
    return cc, cd, dc, dd


def play_matches(
    strategies: Sequence[Move],
    numbers: Sequence[Numbers],
    pairs: Sequence[Sequence[int]],
    draws: Sequence[Sequence[Sequence[float]]],
    turns: int,
    horizon: int,
    noise: float,
    mine: Any,
    theirs: Any,
    outcomes: Any,
) -> None:
    """Play matches of ``pairs`` of strategies; results are written to the rows of ``outcomes``.

    Args:
        mine: Buffers for the moves of first players, of which match k uses row k, starting over after the last.
        theirs: Buffers for those of second players.
    """
    for k in range(len(pairs)):
        i, j, row = pairs[k][0], pairs[k][1], k % len(mine)
        counts = play_match(
            strategies[i],
            strategies[j],
            numbers[i],
            numbers[j],
            draws[k],
            turns,
            horizon,
            noise,
            mine[row],
            theirs[row],
        )
        outcomes[k][0], outcomes[k][1], outcomes[k][2], outcomes[k][3] = counts


OWN_PACKAGE = __name__.rpartition(".")[0]
"""Package whose sources are hashed for the cache; functions of others are compiled in every process."""


def compile_loop(strategies: int) -> Callable[..., None]:
    """Compile `play_matches` for a number of strategies."""
    types = numba().types
    histories = types.Array(types.int8, 2, "C")
    numbers, drawn = types.Array(types.float64, 2, "C"), types.Array(types.float64, 3, "C")
    table = types.Array(types.int64, 2, "C")
    with ignore_numba_warnings():
        pointers = types.UniTuple(types.FunctionType(_strategy_type()), strategies)
    whole, real = types.int64, types.float64
    return _compile(
        play_matches, types.void(pointers, numbers, table, drawn, whole, whole, real, histories, histories, table)
    )


def compile_strategy(move: Move) -> Any:
    try:
        return _compile(move, _strategy_type())
    except (numba().core.errors.NumbaError, numba().core.errors.UnsupportedBytecodeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(f"strategy {getattr(move, '__name__', move)} cannot be compiled: {reason}") from error


@cache
def _strategy_type() -> Any:
    types = numba().types
    history, numbers = types.Array(types.int8, 1, "C"), types.Array(types.float64, 1, "C")
    return types.int64(history, history, types.int64, types.int64, types.float64, numbers)


@cache
def _compile(function: Any, signature: Any = None) -> Any:
    """Compile a copy of a function whose globals are bound to compiled functions."""
    kept_at = None if signature is None else _cache_path(function)
    # Numba caches beside the file of a function, and the package's own folder may be read-only.
    code = function.__code__ if kept_at is None else function.__code__.replace(co_filename=str(kept_at))
    scope: dict[str, Any] = {"__builtins__": builtins, "__name__": function.__module__}
    for name in code.co_names:
        if name in function.__globals__:
            value = function.__globals__[name]
            scope[name] = _compile(value) if isinstance(value, FunctionType) else value
    copy = FunctionType(code, scope, function.__name__, function.__defaults__, function.__closure__)
    with ignore_numba_warnings():
        options = {"nogil": True, "cache": kept_at is not None}
        return numba().njit(copy, **options) if signature is None else numba().njit(signature, **options)(copy)


@contextmanager
def ignore_numba_warnings() -> Iterator[None]:
    """Ignore Numba's warnings that functions passed as pointers are experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _cache_path(function: Any) -> Path | None:
    """The file beside which Numba caches a compiled function; None if it cannot be cached."""
    if not function.__module__.startswith(OWN_PACKAGE):
        return None
    folder = cache_folder() / "dilemmas"
    path = folder / f"{function.__module__.rpartition('.')[2]}_{function.__name__}_{_source_hash()}.txt"
    try:
        # Numba stamps a cache by the time of its file, which is therefore written only once.
        if not path.exists():
            write_file(path, f"{function.__module__}.{function.__qualname__}\n")
    except OSError:  # a folder that cannot be written: compiled in every process
        return None
    return path


@cache
def _source_hash() -> str:
    """A hash of the sources of all modules of cached functions, as compiled functions contain those that they call."""
    text = b"\0".join(read_bytes(file) for file in sorted(Path(__file__).parent.glob("*.py")))
    return sha256(text).hexdigest()[:16]
