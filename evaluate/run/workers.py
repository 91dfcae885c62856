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
from econzoo.baselines.models.journal import Key, collect_calls, recorded_calls, store_calls
from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.extras import MissingLibraryError
from econzoo.envs.core.registry import GameEntry, ensure_registered, game_entry
from econzoo.evaluate.run.engine import Engine, Worker
from econzoo.evaluate.run.failures import StoppedError
from econzoo.evaluate.run.match import PATIENCE, PlayerCache, play_for_seconds, play_matches, play_together
from econzoo.evaluate.run.table import EnvPool, Match

CHUNKS_AHEAD = 4
"""Chunks for each worker that may have begun while the first of all has not ended, where their order is kept."""


class ChunkResult(NamedTuple):
    """What has come of matches since the last time.

    Attributes:
        lines: Records as JSON.
        remaining: The matches of which none has come.
        calls: Of models, finished.
    """

    lines: list[str]
    remaining: list[Match]
    calls: list[tuple[Key, Completion]]


class Chunk:
    """Matches for a worker, and the records that have come of them.

    Args:
        matches: In the order in which they are played.
        concurrent: Matches at once.

    Attributes:
        remaining: The matches of which no record has come.
    """

    def __init__(self, matches: Sequence[Match], concurrent: int = 1) -> None:
        self.remaining = list(matches)
        self._concurrent, self._deaths, self._suspects = concurrent, 0, 0
        self._lines: list[str] = []

    def work_order(self) -> tuple[int, float, list[Match]]:
        """How many matches at once, for how many seconds until something is heard of them, and which."""
        if self._suspects:
            return 1, 0.0, self.remaining[: self._suspects]
        return self._concurrent, PATIENCE if self._concurrent == 1 else 0.0, self.remaining

    def receive(self, said: ChunkResult) -> None:
        """Takes what has come of what was to be played."""
        self._lines += said.lines
        self.remaining[: self._suspects or None] = said.remaining
        self._suspects = len(said.remaining) if self._suspects else 0
        store_calls(said.calls)

    def handle_death(self, why: str) -> None:
        """The worker has died: of the match that it was at, if it was at a single one."""
        self._deaths += 1
        if self._suspects:
            self._suspects -= 1
            self._lines.append(
                failed_record(self.remaining.pop(0), ChildProcessError(f"the process that played the match {why}"))
            )
        elif self._concurrent == 1:
            self._suspects = len(self.remaining)
        elif self._deaths > 1:  # one death need be nobody's fault, and to play one by one takes long
            self._suspects = min(self._concurrent, len(self.remaining))

    def split(self) -> Chunk | None:
        """Parts with the second half of what is left, if that has not begun for sure."""
        if self._concurrent > 1 or self._suspects or len(self.remaining) < 2:
            return None
        half = len(self.remaining) // 2
        self.remaining, rest = self.remaining[:-half], self.remaining[-half:]
        return Chunk(rest)

    def take_lines(self) -> list[str]:
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
        self._start()

    def _start(self) -> None:
        self.ready, self.chunk = False, None
        self.call = self.worker.submit(prepare_worker, self._game, game_entry(self._game))

    def assign(self, chunk: Chunk) -> None:
        """Lets it play what is left of a chunk."""
        self.chunk, (concurrent, seconds, matches) = chunk, chunk.work_order()
        known = recorded_calls(lambda: {one.id for one in matches})
        self.call = self.worker.submit(play_in_worker, concurrent, seconds, matches, known)

    def receive(self, share: bool = False) -> Chunk | None:
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
            return self._handle_death(chunk, self.worker.describe_death(error))
        return chunk and self._receive_result(chunk, self.call.result(), share)

    def _handle_death(self, chunk: Chunk | None, why: str) -> Chunk | None:
        if chunk is None:
            raise StoppedError(f"a process that was to play matches {why} before it could; the same command goes on")
        self._start()
        chunk.handle_death(why)
        return chunk if chunk.remaining else None

    def _receive_result(self, chunk: Chunk, said: ChunkResult, share: bool) -> Chunk | None:
        chunk.receive(said)
        rest = chunk.split() if said.remaining and share else None
        if said.remaining and not rest:
            self.call = self.worker.submit(play_in_worker, *chunk.work_order()[:2])
        elif chunk.remaining:
            self.assign(chunk)
        else:
            self.chunk = None
        return rest


def play_chunks(engine: Engine, game: str, parts: Iterable[Chunk], jobs: int, gpus: int = 0) -> Iterator[list[str]]:
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
    lanes = [Lane(engine.make_worker(gpus), game) for _ in range(jobs)]
    try:
        while waiting or begun:
            for lane in lanes:
                room = waiting and (len(begun) < jobs * CHUNKS_AHEAD or waiting[0] in begun)
                if room and lane.ready and lane.chunk is None:
                    lane.assign(chunk := waiting.popleft())
                    if chunk not in begun:
                        begun.append(chunk)
                        waiting.extend(islice(todo, 1))
            busy = [lane for lane in lanes if lane.chunk is not None or not lane.ready]
            wait([lane.call for lane in busy], return_when=FIRST_COMPLETED)
            share = engine.remote and not waiting and len(busy) < len(lanes)
            heard = [lane.receive(share) for lane in busy if lane.call.done()]
            waiting.extendleft(chunk for chunk in heard if chunk is not None)
            yield from _take_ended_lines(begun, not engine.remote)
    except BaseException:  # somebody stops: what is being played is not waited for
        for lane in lanes:
            lane.worker.kill()
        raise
    for lane in lanes:
        lane.worker.close() if lane.ready else lane.worker.kill()


def _take_ended_lines(begun: deque[Chunk], ordered: bool) -> Iterator[list[str]]:
    """What has come of the first chunks, or of all; those of which all has come leave."""
    for chunk in list(begun):
        if lines := chunk.take_lines():
            yield lines
        if not chunk.remaining:
            begun.remove(chunk)
        elif ordered:
            return


# In the workers


class FailingPlayer(Player):
    """Stands for a player that cannot take its seat: the match fails before it begins.

    Args:
        spec: Of the player.
        error: Is raised where the match would begin.
    """

    def __init__(self, spec: str, error: Exception) -> None:
        super().__init__(spec)
        self._why = error

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Says why."""
        raise self._why


class LazyPlayerCache(PlayerCache):
    """Players that are made while matches are played: where one cannot be made any more, its matches fail."""

    def __call__(self, spec: str) -> Player:
        """The player of a spec, or who stands for it."""
        try:
            return super().__call__(spec)
        except MissingLibraryError:
            raise
        except Exception as error:
            return FailingPlayer(spec, error)


def failed_record(match: Match, error: Exception) -> str:
    """The record of a match that has failed, as a JSON line."""
    (record,) = play_matches([match], lambda spec: FailingPlayer(spec, error), on_error="failed")
    return record.to_json()


class WorkerState:
    """What this process plays.

    Args:
        game: Name.
    """

    def __init__(self, game: str) -> None:
        self._cast, self._pool = LazyPlayerCache(game), EnvPool()

    def play(
        self, concurrent: int, seconds: float, matches: Sequence[Match], known: Mapping[Key, Completion]
    ) -> ChunkResult:
        """See `play_in_worker`; where there are matches, what is left of others is not played on."""
        if matches:
            self._left, self._calls = list(matches), collect_calls(known)
            self._played = play_together(matches, self._cast, concurrent, self._pool)
        ended = play_for_seconds(self._played, seconds)
        gone = set(map(id, ended.matches))
        self._left = [match for match in self._left if id(match) not in gone]
        return ChunkResult(ended.lines, self._left, self._calls.take_calls())


_WORK: list[WorkerState] = []


def prepare_worker(game: str, location: GameEntry) -> None:
    """Makes a game known to this process, and those who play it."""
    ensure_registered(game, location)
    _WORK[:] = [WorkerState(game)]


def play_in_worker(
    concurrent: int,
    seconds: float,
    matches: Sequence[Match] = (),
    known_replies: Mapping[Key, Completion] = MappingProxyType({}),
) -> ChunkResult:
    """Plays for so many seconds, with one answer in each match at least.

    Args:
        concurrent: Matches at once.
        seconds: After which what has been played is told.
        matches: What to begin; none: what was begun goes on.
        known_replies: Calls of models that were made for these matches before.
    """
    return _WORK[0].play(concurrent, seconds, matches, known_replies)
