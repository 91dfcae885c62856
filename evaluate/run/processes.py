"""Matches in several processes: a process that is killed fails the match it was at, and a new one plays what is left.

Every process has a pipe of its own, in which the record of a match comes as soon as the match has ended. So it is known
which match a process was at when it was killed, and nothing that others have to say is held up by it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from multiprocessing.resource_tracker import ensure_running

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.registry import Registered, games, register_game, registered
from econzoo.evaluate.run.failures import StoppedError
from econzoo.evaluate.run.match import CHUNK, Cast, Series, chunks, play_matches, play_series
from econzoo.evaluate.run.table import EnvPool, Match

AHEAD = 4
"""Lists of series for each process that may have begun while the first of all has not ended."""


class Absent(Player):
    """Stands for a player that cannot take its seat: the match fails before it begins.

    Args:
        spec: Of the player.
        why: Is raised where the match would begin.
    """

    def __init__(self, spec: str, why: Exception) -> None:
        super().__init__(spec)
        self._why = why

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Says why."""
        raise self._why


class LateCast(Cast):
    """Players that are made while matches are played: where one cannot be made any more, its matches fail."""

    def __call__(self, spec: str) -> Player:
        """The player of a spec, or who stands for it."""
        try:
            return super().__call__(spec)
        except MissingLibraryError:
            raise
        except Exception as error:
            return Absent(spec, error)


class Task:
    """Series for a process, and the records that have come of them.

    Args:
        series: In the order in which they are played.
    """

    def __init__(self, series: Iterable[Series]) -> None:
        self._left = deque(series)
        self._lines: list[str] = []

    @property
    def left(self) -> list[Series]:
        """What no record has come of."""
        return list(self._left)

    def hear(self, line: str | None) -> None:
        """Takes the record of the next match; None: there are no more of its series."""
        if line is None:
            self._left.popleft()
        else:
            self._lines.append(line)
            self._left[0] = self._left[0].after(1)

    def fail(self, why: str) -> None:
        """The match that is under way has failed."""
        while self._left and not self._left[0].seeds:
            self._left.popleft()
        if self._left:
            match = next(self._left[0].matches())
            self.hear(failed(match, ChildProcessError(why)))

    def take(self) -> list[str]:
        """The records that have come since the last time."""
        lines, self._lines = self._lines, []
        return lines


def failed(match: Match, why: Exception) -> str:
    """The record of a match that has failed, as a JSON line."""
    (record,) = play_matches([match], lambda spec: Absent(spec, why), on_error="failed")
    return record.to_json()


class Worker:
    """Plays tasks in a process of its own, one after the other; in a new one where that was killed.

    Args:
        game: Name.
        where: The game is found.

    Attributes:
        pipe: From which it is heard.
        task: That it is at; None: it waits for one.
    """

    pipe: Connection
    task: Task | None = None
    _process: SpawnProcess | None = None

    def __init__(self, game: str, where: Registered) -> None:
        self._where = game, where

    def give(self, task: Task) -> None:
        """Lets it play a task."""
        self.task = task
        if self._process is None:
            self._start()
        with suppress(OSError):  # it is dead, which is heard soon
            self.pipe.send(task.left)

    def _start(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, *self._where), daemon=True)
        with not_interrupted():
            process.start()
        self._process, self._ready = process, False
        theirs.close()

    def listen(self) -> None:
        """Takes the next thing that it says.

        Raises:
            StoppedError: No process can be started.
        """
        assert self.task is not None
        try:
            said = self.pipe.recv()
        except (EOFError, OSError):
            self._dead(self.task)
            return
        if isinstance(said, Exception):
            raise said
        if self._ready:
            self.task.hear(said)
        self._ready = True
        if not self.task.left:
            self.task = None

    def _dead(self, task: Task) -> None:
        why = self._ended()
        if not self._ready:
            raise StoppedError(f"a process that was to play matches {why} before it could; the same command goes on")
        task.fail(f"the process that played the match {why}")
        self.task = None
        if task.left:
            self.give(task)

    def _ended(self) -> str:
        """How the process has ended, once it has."""
        assert self._process is not None
        self.pipe.close()
        self._process.join()
        code, self._process = self._process.exitcode or 0, None
        return f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with the exit code {code}"

    def kill(self) -> None:
        """Ends the process, whatever it is at."""
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """Lets the process end."""
        if self._process is not None:
            self.pipe.close()
            self._process.join()


@contextmanager
def not_interrupted() -> Iterator[None]:
    """What is started here leaves Ctrl-C to this process, from its first moment on."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    ensure_running()  # once it runs, it leaves the mask as it is
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def play_in_processes(series: Iterable[Series], game: Game, jobs: int) -> Iterator[list[str]]:
    """Plays series of matches and yields their records as JSON lines, a few at a time, in order.

    The processes are new ones (``spawn``), which know what can be imported and nothing else.

    Args:
        series: Of one game, none with a player that is asked in batches.
        game: That game.
        jobs: Number of processes.

    Raises:
        StoppedError: No process can be started.
    """
    tasks = map(Task, chunks(series, CHUNK))
    begun: deque[Task] = deque()
    workers = [Worker(game.name, registered(game.name)) for _ in range(jobs)]
    try:
        while True:
            for worker in workers:
                if worker.task is None and len(begun) < jobs * AHEAD and (task := next(tasks, None)) is not None:
                    begun.append(task)
                    worker.give(task)
            if not begun:
                return
            _listen([worker for worker in workers if worker.task is not None])
            yield from _in_order(begun)
    except BaseException:  # somebody stops: what is being played is not waited for
        for worker in workers:
            worker.kill()
        raise
    finally:
        for worker in workers:
            worker.end()


def _listen(workers: Sequence[Worker]) -> None:
    """Hears those who have something to say."""
    heard = wait([worker.pipe for worker in workers])
    for worker in workers:
        if worker.pipe in heard:
            worker.listen()


def _in_order(begun: deque[Task]) -> Iterator[list[str]]:
    """What has come of the first tasks; those of which all has come leave."""
    while begun:
        done = not begun[0].left
        if lines := begun[0].take():
            yield lines
        if not done:
            return
        begun.popleft()


# In the processes


def _work(pipe: Connection, name: str, where: Registered) -> None:
    """Plays what comes through the pipe until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_inheritable(pipe.fileno(), False)  # what players start must not keep it open
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if name not in games():
        register_game(name, *where)
    cast, pool = LateCast(name), EnvPool()
    with suppress(EOFError, OSError):
        pipe.send(None)
        while True:
            for series in pipe.recv():
                _play(series, cast, pool, pipe)


def _play(series: Series, cast: Cast, pool: EnvPool, pipe: Connection) -> None:
    try:
        for line in play_series([series], cast, pool):
            pipe.send(line)
        pipe.send(None)
    except Exception as error:  # no match's: it ends the run
        pipe.send(error)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
