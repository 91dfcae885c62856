"""Matches that are played by the workers of an engine.

Matches are given to workers in chunks, and what has been played of a chunk comes back a second's worth at a time: so it
is known what is left when a worker dies. That is played again, one match at a time, so that the match fails that kills
whoever plays it, and no other one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.registry import Registered, games, register_game, registered
from econzoo.evaluate.run.engine import Engine, Worker
from econzoo.evaluate.run.failures import StoppedError
from econzoo.evaluate.run.match import PATIENCE, Cast, a_while, play_matches, play_together
from econzoo.evaluate.run.table import EnvPool, Match

AHEAD = 4
"""Chunks for each worker that may have begun while the first of all has not ended, where their order is kept."""


class Chunk:
    """Matches for a worker, and the records that have come of them.

    Args:
        matches: In the order in which they are played.
        concurrent: Matches at once.

    Attributes:
        left: The matches of which no record has come.
    """

    def __init__(self, matches: Sequence[Match], concurrent: int = 1) -> None:
        self.left = list(matches)
        self._concurrent, self._deaths, self._suspects = concurrent, 0, 0
        self._lines: list[str] = []

    def order(self) -> tuple[list[Match], int, float]:
        """What to play, how many at once, and for how many seconds until something is heard of it."""
        if self._suspects:
            return self.left[: self._suspects], 1, 0.0
        return self.left, self._concurrent, PATIENCE if self._concurrent == 1 else 0.0

    def hear(self, lines: Sequence[str], left: Sequence[Match]) -> None:
        """Takes records, and what is left of the order."""
        self._lines += lines
        self.left[: self._suspects or None] = left
        self._suspects = len(left) if self._suspects else 0

    def die(self, why: str) -> None:
        """The worker has died: of the match that it was at, if it was at a single one."""
        self._deaths += 1
        if self._suspects:
            self._suspects -= 1
            self._lines.append(failed(self.left.pop(0), ChildProcessError(f"the process that played the match {why}")))
        elif self._concurrent == 1:
            self._suspects = len(self.left)
        elif self._deaths > 1:  # one death need be nobody's fault, and to play one by one takes long
            self._suspects = min(self._concurrent, len(self.left))

    def take(self) -> list[str]:
        """The records that have come since the last time."""
        lines, self._lines = self._lines, []
        return lines


class Lane:
    """A worker and the chunk that it is at.

    Args:
        worker: The worker.
        game: Name of the game that is played.

    Attributes:
        chunk: None: it waits for one.
        call: That is under way.
    """

    chunk: Chunk | None = None
    call: Future[Any]

    def __init__(self, worker: Worker, game: str) -> None:
        self.worker, self._game, self._ready = worker, (game, registered(game)), False

    def give(self, chunk: Chunk) -> None:
        """Lets it play a chunk."""
        self.chunk = chunk
        self._submit(chunk)

    def _submit(self, chunk: Chunk, goes_on: bool = False) -> None:
        order = chunk.order()
        told = ([], *order[1:]) if goes_on else order
        self.call = self.worker.submit(*(play_a_while, *told) if self._ready else (meet, *self._game))

    def hear(self) -> None:
        """Takes what has come of the call.

        Raises:
            StoppedError: A worker cannot be started.
        """
        assert self.chunk is not None
        try:
            said = self.call.result()
        except Exception as error:
            self._dead(self.chunk, error)
            goes_on = False
        else:
            goes_on = self._ready and bool(said[1])
            if self._ready:
                self.chunk.hear(*said)
            self._ready = True
        if self.chunk.left:
            self._submit(self.chunk, goes_on)
        else:
            self.chunk = None

    def _dead(self, chunk: Chunk, error: Exception) -> None:
        why = self.worker.death(error)
        if not why:
            raise error
        if not self._ready:
            raise StoppedError(f"a process that was to play matches {why} before it could; the same command goes on")
        self._ready = False
        chunk.die(why)


def play_on(engine: Engine, game: str, parts: Iterable[Chunk]) -> Iterator[list[str]]:
    """Plays chunks of matches and yields their records as JSON lines, a few at a time.

    Args:
        engine: Where.
        game: Name of the game of all of them; workers find it where it is registered here.
        parts: What to play; taken as there are workers for it.

    Raises:
        StoppedError: A worker cannot be started.
    """
    todo, begun = iter(parts), deque[Chunk]()
    lanes = [Lane(engine.worker(), game) for _ in range(engine.jobs)]
    try:
        while True:
            for lane in lanes:
                room = not engine.ordered or len(begun) < len(lanes) * AHEAD
                if lane.chunk is None and room and (chunk := next(todo, None)) is not None:
                    begun.append(chunk)
                    lane.give(chunk)
            if not begun:
                return
            busy = [lane for lane in lanes if lane.chunk is not None]
            wait([lane.call for lane in busy], return_when=FIRST_COMPLETED)
            for lane in busy:
                if lane.call.done():
                    lane.hear()
            yield from _heard(begun, engine.ordered)
    except BaseException:  # somebody stops: what is being played is not waited for
        for lane in lanes:
            lane.worker.kill()
        raise
    finally:
        for lane in lanes:
            lane.worker.close()


def _heard(begun: deque[Chunk], ordered: bool) -> Iterator[list[str]]:
    """What has come of the first chunks, or of all; those of which all has come leave."""
    for chunk in list(begun):
        done = not chunk.left
        if lines := chunk.take():
            yield lines
        if done:
            begun.remove(chunk)
        elif ordered:
            return


# In the workers


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


def failed(match: Match, why: Exception) -> str:
    """The record of a match that has failed, as a JSON line."""
    (record,) = play_matches([match], lambda spec: Absent(spec, why), on_error="failed")
    return record.to_json()


class Work:
    """What this process plays.

    Args:
        game: Name.
    """

    def __init__(self, game: str) -> None:
        self._cast, self._pool = LateCast(game), EnvPool()

    def begin(self, matches: Sequence[Match], concurrent: int) -> None:
        """Takes matches; what is left of others is not played on."""
        self._left, self._played = matches, play_together(matches, self._cast, concurrent, self._pool)

    def go_on(self, seconds: float) -> tuple[list[str], Sequence[Match]]:
        """Plays so long."""
        ended = a_while(self._played, seconds)
        gone = set(map(id, ended.matches))
        self._left = [match for match in self._left if id(match) not in gone]
        return ended.lines, self._left


_WORK: list[Work] = []


def meet(game: str, where: Registered) -> None:
    """Makes a game known to this process, and those who play it."""
    if game not in games():
        register_game(game, *where)
    _WORK[:] = [Work(game)]


def play_a_while(matches: Sequence[Match], concurrent: int, seconds: float) -> tuple[list[str], Sequence[Match]]:
    """Plays for so many seconds, with one answer in each match at least.

    Args:
        matches: What to begin; none: what was begun goes on.
        concurrent: Matches at once.
        seconds: After which what has been played is told.

    Returns:
        The records that have come as JSON lines, and the matches of which none has come.
    """
    if matches:
        _WORK[0].begin(matches, concurrent)
    return _WORK[0].go_on(seconds)
