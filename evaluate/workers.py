"""Matches of scripted players, played in several processes."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context, parent_process

from econzoo.baselines.player import Player
from econzoo.envs.core.game import Game
from econzoo.envs.core.registry import games, register_game
from econzoo.evaluate.match import Cast, play_matches
from econzoo.evaluate.table import Match

CHUNK = 32
"""Matches that a process is given at a time; what it has played of them is lost if it is killed."""

_CASTS: dict[str, Cast] = {}


def plays_alone(match: Match, cast: Callable[[str], Player]) -> bool:
    """Whether no player of the match is one that is asked in batches."""
    return all(cast(spec).batch_key is None for spec in match.players)


def play_in_processes(matches: Iterable[Match], game: Game, jobs: int) -> Iterator[list[str]]:
    """Plays matches and yields their records as JSON lines, chunk by chunk, in the order of the matches.

    The processes are new ones (``spawn``), which know what can be imported and nothing else.

    Args:
        matches: Of one game, none with a player that is asked in batches.
        game: That game.
        jobs: Number of processes.
    """
    chunks = _chunks(matches)
    where = game.name, f"{game.package}:GAME", game.version
    waiting: deque[Future[list[str]]] = deque()
    with ProcessPoolExecutor(jobs, get_context("spawn"), _start, where) as processes:
        try:
            waiting.extend(processes.submit(_play, chunk) for chunk in islice(chunks, jobs * 4))
            while waiting:
                yield waiting.popleft().result()
                waiting.extend(processes.submit(_play, chunk) for chunk in islice(chunks, 1))
        finally:
            processes.shutdown(wait=False, cancel_futures=True)


def _chunks(matches: Iterable[Match]) -> Iterator[list[Match]]:
    rest = iter(matches)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk


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


def _play(matches: Sequence[Match]) -> list[str]:
    cast = _CASTS.setdefault(matches[0].game, Cast(matches[0].game))
    return [record.to_json() for record in play_matches(matches, cast)]
