"""Matches of scripted players, played in several processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context, parent_process

from econzoo.baselines.player import Player
from econzoo.envs.core.game import Game
from econzoo.envs.core.registry import games, register_game
from econzoo.evaluate.match import Cast
from econzoo.evaluate.series import Series, chunks, play_series
from econzoo.evaluate.table import EnvPool, Match

CHUNK = 32
"""Matches that a process is given at a time; what it has played of them is lost if it is killed."""

PATIENCE = 1.0
"""Seconds after which what a single process has played is handed on, however little it is."""

_KEPT: dict[str, tuple[Cast, EnvPool]] = {}
"""Players and environments that a process has made, by game."""


def plays_alone(match: Match, cast: Callable[[str], Player]) -> bool:
    """Whether no player of the match is one that is asked in batches."""
    return all(cast(spec).batch_key is None for spec in match.players)


def in_time(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines, `CHUNK` at a time, or fewer where they take longer than `PATIENCE`."""
    held: list[str] = []
    since = time.monotonic()
    for line in lines:
        held.append(line)
        if len(held) == CHUNK or time.monotonic() - since > PATIENCE:
            yield held
            held, since = [], time.monotonic()
    if held:
        yield held


def play_in_processes(series: Iterable[Series], game: Game, jobs: int) -> Iterator[list[str]]:
    """Plays series of matches and yields their records as JSON lines, chunk by chunk, in order.

    The processes are new ones (``spawn``), which know what can be imported and nothing else.

    Args:
        series: Of one game, none with a player that is asked in batches.
        game: That game.
        jobs: Number of processes.
    """
    waits = chunks(series, CHUNK)
    where = game.name, f"{game.package}:GAME", game.version
    waiting: deque[Future[list[str]]] = deque()
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, where) as processes:
        try:
            waiting.extend(processes.submit(_play, chunk) for chunk in islice(waits, jobs * 4))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(processes.submit(_play, chunk) for chunk in islice(waits, 1))
        except BaseException:  # somebody stops: what is being played is not waited for
            processes.shutdown(wait=False, cancel_futures=True)
            raise


def _start(name: str, where: str, version: int) -> None:
    """Makes a new process ready: it leaves Ctrl-C to its parent and ends when its parent does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if name not in games():
        register_game(name, where, version)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _play(series: Sequence[Series]) -> list[str]:
    name = series[0].match.game
    cast, pool = _KEPT.setdefault(name, (Cast(name), EnvPool()))
    return list(play_series(series, cast, pool))
