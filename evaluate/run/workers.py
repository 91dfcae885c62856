"""Matches that are played by the workers of an engine.

Matches are given to workers in chunks, and what has been played of a chunk comes back a second's worth at a time: so it
is known what is left when a worker dies. That is played again, one match at a time, so that the match fails that kills
whoever plays it, and no other one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.baselines.models.chat import Completion
from econzoo.baselines.models.journal import Key, carry, keep_calls, known_calls
from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.registry import Registered, know, registered
from econzoo.evaluate.run.engine import Engine, Worker
from econzoo.evaluate.run.failures import StoppedError
from econzoo.evaluate.run.match import PATIENCE, Cast, a_while, play_matches, play_together
from econzoo.evaluate.run.table import EnvPool, Match

AHEAD = 4
"""Chunks for each worker that may have begun while the first of all has not ended, where their order is kept."""


class Heard(NamedTuple):
    """What has come of matches since the last time.

    Attributes:
        lines: Records as JSON.
        left: The matches of which none has come.
        calls: Of models, finished.
    """

    lines: list[str]
    left: list[Match]
    calls: list[tuple[Key, Completion]]


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

    def order(self) -> tuple[int, float, list[Match]]:
        """How many matches at once, for how many seconds until something is heard of them, and which."""
        if self._suspects:
            return 1, 0.0, self.left[: self._suspects]
        return self._concurrent, PATIENCE if self._concurrent == 1 else 0.0, self.left

    def hear(self, said: Heard) -> None:
        """Takes what has come of what was to be played."""
        self._lines += said.lines
        self.left[: self._suspects or None] = said.left
        self._suspects = len(said.left) if self._suspects else 0
        keep_calls(said.calls)

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

    def split(self) -> Chunk | None:
        """Parts with the second half of what is left, if that has not begun for sure."""
        if self._concurrent > 1 or self._suspects or len(self.left) < 2:
            return None
        half = len(self.left) // 2
        self.left, rest = self.left[:-half], self.left[-half:]
        return Chunk(rest)

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
        chunk: None: it is at none.
        ready: Whether the worker has started and may be given a chunk.
        call: That is under way.
    """

    chunk: Chunk | None = None
    call: Future[Any]

    def __init__(self, worker: Worker, game: str) -> None:
        self.worker, self._game = worker, game
        self._meet()

    def _meet(self) -> None:
        self.ready, self.chunk = False, None
        self.call = self.worker.submit(meet, self._game, registered(self._game))

    def give(self, chunk: Chunk) -> None:
        """Lets it play what is left of a chunk."""
        self.chunk, (concurrent, seconds, matches) = chunk, chunk.order()
        known = known_calls(lambda: {one.id for one in matches})
        self.call = self.worker.submit(play_a_while, concurrent, seconds, matches, known)

    def hear(self, share: bool = False) -> Chunk | None:
        """Takes what has come of the call.

        Args:
            share: Whether others have nothing to do.

        Returns:
            A chunk for whoever is free: of a worker that has died, or a part of one that takes long.

        Raises:
            StoppedError: The worker cannot be started.
        """
        chunk, self.ready = self.chunk, True
        if (error := self.call.exception()) is not None:
            return self._dead(chunk, self.worker.death(error))
        return chunk and self._hear(chunk, self.call.result(), share)

    def _dead(self, chunk: Chunk | None, why: str) -> Chunk | None:
        if chunk is None:
            raise StoppedError(f"a process that was to play matches {why} before it could; the same command goes on")
        self._meet()
        chunk.die(why)
        return chunk if chunk.left else None

    def _hear(self, chunk: Chunk, said: Heard, share: bool) -> Chunk | None:
        chunk.hear(said)
        rest = chunk.split() if said.left and share else None
        if said.left and not rest:
            self.call = self.worker.submit(play_a_while, *chunk.order()[:2])
        elif chunk.left:
            self.give(chunk)
        else:
            self.chunk = None
        return rest


def play_on(engine: Engine, game: str, parts: Iterable[Chunk], jobs: int, gpus: int = 0) -> Iterator[list[str]]:
    """Plays chunks of matches and yields their records as JSON lines, a few at a time.

    Args:
        engine: Where.
        game: Name of the game of all of them; workers find it where it is registered here.
        parts: What to play; taken as there are workers for it.
        jobs: Number of workers.
        gpus: Of each of them.

    Raises:
        StoppedError: A worker cannot be started.
    """
    todo, begun = iter(parts), deque[Chunk]()
    waiting = deque(islice(todo, 1))
    lanes = [Lane(engine.worker(gpus), game) for _ in range(jobs)]
    try:
        while waiting or begun:
            for lane in lanes:
                room = waiting and (len(begun) < jobs * AHEAD or waiting[0] in begun)
                if room and lane.ready and lane.chunk is None:
                    lane.give(chunk := waiting.popleft())
                    if chunk not in begun:
                        begun.append(chunk)
                        waiting.extend(islice(todo, 1))
            busy = [lane for lane in lanes if lane.chunk is not None or not lane.ready]
            wait([lane.call for lane in busy], return_when=FIRST_COMPLETED)
            share = engine.remote and not waiting and len(busy) < len(lanes)
            heard = [lane.hear(share) for lane in busy if lane.call.done()]
            waiting.extendleft(chunk for chunk in heard if chunk is not None)
            yield from _heard(begun, not engine.remote)
    except BaseException:  # somebody stops: what is being played is not waited for
        for lane in lanes:
            lane.worker.kill()
        raise
    for lane in lanes:
        lane.worker.close() if lane.ready else lane.worker.kill()


def _heard(begun: deque[Chunk], ordered: bool) -> Iterator[list[str]]:
    """What has come of the first chunks, or of all; those of which all has come leave."""
    for chunk in list(begun):
        if lines := chunk.take():
            yield lines
        if not chunk.left:
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

    def play(self, concurrent: int, seconds: float, matches: Sequence[Match], known: Mapping[Key, Completion]) -> Heard:
        """See `play_a_while`; where there are matches, what is left of others is not played on."""
        if matches:
            self._left, self._calls = list(matches), carry(known)
            self._played = play_together(matches, self._cast, concurrent, self._pool)
        ended = a_while(self._played, seconds)
        gone = set(map(id, ended.matches))
        self._left = [match for match in self._left if id(match) not in gone]
        return Heard(ended.lines, self._left, self._calls.take())


_WORK: list[Work] = []


def meet(game: str, where: Registered) -> None:
    """Makes a game known to this process, and those who play it."""
    know(game, where)
    _WORK[:] = [Work(game)]


def play_a_while(
    concurrent: int,
    seconds: float,
    matches: Sequence[Match] = (),
    known: Mapping[Key, Completion] = MappingProxyType({}),
) -> Heard:
    """Plays for so many seconds, with one answer in each match at least.

    Args:
        concurrent: Matches at once.
        seconds: After which what has been played is told.
        matches: What to begin; none: what was begun goes on.
        known: Calls of models that were made for these matches before.
    """
    return _WORK[0].play(concurrent, seconds, matches, known)
