"""Playing matches in the workers of an engine.

Workers get matches in chunks and return records about once a second, so that the remaining matches are known when a
worker dies. These are replayed one at a time, so that only the match that kills its worker fails.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

from econzoo.baselines import Key, LoggedCall, Player, Reply, collect_calls, collect_log, is_logging, recorded_calls
from econzoo.baselines import store_calls, write_logged
from econzoo.envs.core import GameEntry, MissingLibraryError, ensure_registered, game_entry
from econzoo.evaluate.run.engine import Engine, Worker
from econzoo.evaluate.run.failures import StoppedError
from econzoo.evaluate.run.match import LARGEST_BATCH, PATIENCE, PlayerCache, play_for_seconds, play_matches
from econzoo.evaluate.run.match import play_together
from econzoo.evaluate.run.table import EnvPool, Match
from econzoo.wrappers import SeatInfo

ALONE = 0
"""In place of a number of calls at once: one match is played after the other."""

CHUNKS_AHEAD = 4
"""Chunks per worker that may start ahead of the first unfinished chunk, where order is preserved."""


class ChunkResult(NamedTuple):
    """Records since the last report of a chunk, its matches without a record, and the finished model calls."""

    lines: list[str]
    remaining: list[Match]
    calls: list[tuple[Key, Reply]]
    logged: Sequence[LoggedCall] = ()


class Chunk:
    """Matches for a worker, and their records."""

    def __init__(self, matches: Sequence[Match], concurrent: int | None = ALONE) -> None:
        self.remaining = list(matches)  # without a record, in the order in which they are played
        # The suspects are the first of the remaining matches, one of which has probably killed its worker. They are
        # played one at a time, so that the next death has a single culprit.
        self._concurrent, self._deaths, self._suspects = concurrent, 0, 0
        self._lines: list[str] = []

    def work_order(self) -> tuple[int | None, float, list[Match]]:
        """Return the calls of a model at once, the seconds until the next report, and the matches."""
        if self._suspects:
            return ALONE, 0.0, self.remaining[: self._suspects]
        # After every step where models play: calls that were not reported when a worker dies are paid twice.
        return self._concurrent, PATIENCE if self._concurrent == ALONE else 0.0, self.remaining

    def receive(self, result: ChunkResult) -> None:
        self._lines += result.lines
        self.remaining[: self._suspects or None] = result.remaining
        self._suspects = len(result.remaining) if self._suspects else 0
        store_calls(result.calls)
        write_logged(result.logged)

    def handle_death(self, why: str) -> None:
        """Handle the death of the worker: its match fails if it was playing a single one."""
        self._deaths += 1
        if self._suspects:
            self._suspects -= 1
            self._lines.append(
                failed_record(self.remaining.pop(0), ChildProcessError(f"the process that played the match {why}"))
            )
        elif self._concurrent == ALONE:
            # The last report may be older than the match that killed the worker: any of the rest may be the culprit.
            self._suspects = len(self.remaining)
        elif self._deaths > 1:  # a single death may be an accident, and playing one by one is slow
            self._suspects = min(self._concurrent or LARGEST_BATCH, len(self.remaining))

    def split(self) -> Chunk | None:
        """Split off the second half of the remaining matches, if it has certainly not started."""
        # Parallel matches may all have started. One at a time, only the first of the rest may have.
        if self._concurrent != ALONE or self._suspects or len(self.remaining) < 2:
            return None
        half = len(self.remaining) // 2
        self.remaining, rest = self.remaining[:-half], self.remaining[-half:]
        return Chunk(rest)

    def take_lines(self) -> list[str]:
        """Return the records since the last call."""
        lines, self._lines = self._lines, []
        return lines


class Lane:
    """A worker and its present chunk.

    Attributes:
        chunk: Present chunk; None: idle.
    """

    chunk: Chunk | None = None
    call: Future[Any]

    def __init__(self, worker: Worker, game: str) -> None:
        self.worker, self._game = worker, game
        self._start()

    def _start(self) -> None:
        # The first call after a start may be rerun without notice, which registering a game allows (`Worker.submit`).
        self.ready, self.chunk = False, None
        self.call = self.worker.submit(prepare_worker, self._game, game_entry(self._game))

    def assign(self, chunk: Chunk) -> None:
        """Start playing the remaining matches of a chunk."""
        self.chunk, (concurrent, seconds, matches) = chunk, chunk.work_order()
        # Replies that the journal of this process has, of an interrupted run or a dead worker.
        known = recorded_calls(lambda: {one.id for one in matches})
        self.call = self.worker.submit(play_in_worker, concurrent, seconds, matches, known, is_logging())

    def receive(self, share: bool = False) -> Chunk | None:
        """Process the result of the call.

        Args:
            share: Whether other workers are idle.

        Returns:
            A chunk for an idle worker: that of a dead worker, or half of a slow one.
        """
        chunk, self.ready = self.chunk, True
        if (error := self.call.exception()) is not None:
            return self._handle_death(chunk, self.worker.describe_death(error))
        return chunk and self._receive_result(chunk, self.call.result(), share)

    def _handle_death(self, chunk: Chunk | None, why: str) -> Chunk | None:
        if chunk is None:
            raise StoppedError(f"a worker process {why} and could not play; rerun the same command to resume")
        self._start()
        chunk.handle_death(why)
        return chunk if chunk.remaining else None

    def _receive_result(self, chunk: Chunk, result: ChunkResult, share: bool) -> Chunk | None:
        chunk.receive(result)
        rest = chunk.split() if result.remaining and share else None
        if result.remaining and not rest:
            self.call = self.worker.submit(play_in_worker, *chunk.work_order()[:2])
        elif chunk.remaining:
            # After suspects, or a split, the worker holds other matches than the chunk. One in progress starts anew.
            self.assign(chunk)
        else:
            self.chunk = None
        return rest


def play_chunks(engine: Engine, game: str, parts: Iterable[Chunk], jobs: int, gpus: int = 0) -> Iterator[list[str]]:
    """Play chunks of matches, of one game, and yield their records as JSON lines, a few at a time.

    Chunks are taken as workers become idle.
    """
    todo, begun = iter(parts), deque[Chunk]()
    waiting = deque(islice(todo, 1))
    lanes = [Lane(engine.make_worker(gpus), game) for _ in range(jobs)]
    try:
        while waiting or begun:
            for lane in lanes:
                # A limited lead bounds the records that wait for the first chunk, where order is preserved. The chunk
                # of a dead worker has begun already: it needs no room, and the others may be waiting for it.
                has_room = waiting and (len(begun) < jobs * CHUNKS_AHEAD or waiting[0] in begun)
                if has_room and lane.ready and lane.chunk is None:
                    lane.assign(chunk := waiting.popleft())
                    if chunk not in begun:
                        begun.append(chunk)
                        waiting.extend(islice(todo, 1))
            busy = [lane for lane in lanes if lane.chunk is not None or not lane.ready]
            wait([lane.call for lane in busy], return_when=FIRST_COMPLETED)
            share = engine.remote and not waiting and len(busy) < len(lanes)
            returned = [lane.receive(share) for lane in busy if lane.call.done()]
            waiting.extendleft(chunk for chunk in returned if chunk is not None)
            yield from _take_ended_lines(begun, not engine.remote)
    except BaseException:  # on an interrupt matches in progress are abandoned
        for lane in lanes:
            lane.worker.kill()
        raise
    for lane in lanes:
        # A worker that is still starting has nothing to finish.
        lane.worker.close() if lane.ready else lane.worker.kill()


def _take_ended_lines(begun: deque[Chunk], ordered: bool) -> Iterator[list[str]]:
    """Yield records of the first chunk, or of all, and remove finished chunks."""
    for chunk in list(begun):
        if lines := chunk.take_lines():
            yield lines
        if not chunk.remaining:
            begun.remove(chunk)
        elif ordered:
            return


# In the workers


class FailingPlayer(Player):
    """Replaces a player that cannot take its seat: the match fails at its start."""

    def __init__(self, spec: str, error: Exception) -> None:
        super().__init__(spec)
        self._why = error

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        raise self._why


class LazyPlayerCache(PlayerCache):
    """Players created during matches; if creation fails, so do the player's matches."""

    def __call__(self, spec: str) -> Player:
        """Return the player of a spec, or a `FailingPlayer`."""
        try:
            return super().__call__(spec)
        except MissingLibraryError:
            # The library is missing for all matches of the player, so that the run stops with the advice to install it.
            raise
        except Exception as error:
            return FailingPlayer(spec, error)


def failed_record(match: Match, error: Exception) -> str:
    """Return the record of a failed match as a JSON line."""
    # Played at a table as any other, so that its record has the same form.
    (record,) = play_matches([match], lambda spec: FailingPlayer(spec, error), on_error="failed")
    return record.to_json()


class WorkerState:
    """State of this worker process."""

    def __init__(self, game: str) -> None:
        self._cast, self._pool = LazyPlayerCache(game), EnvPool()

    def play(
        self,
        concurrent: int | None,
        seconds: float,
        matches: Sequence[Match],
        known: Mapping[Key, Reply],
        wants_log: bool,
    ) -> ChunkResult:
        """See `play_in_worker`; new matches replace the remaining ones."""
        if matches:
            self._left, self._calls, self._log = list(matches), collect_calls(known), collect_log(wants_log)
            self._played = play_together(matches, self._cast, concurrent or None, self._pool, concurrent == ALONE)
        ended = play_for_seconds(self._played, seconds)
        # By identity, as matches are not hashable: they contain dictionaries.
        ended_ids = set(map(id, ended.matches))
        self._left = [match for match in self._left if id(match) not in ended_ids]
        return ChunkResult(ended.lines, self._left, self._calls.take_calls(), self._log.take_calls())


# The functions of a worker must be importable, so that its state between calls is in the module.
_WORK: list[WorkerState] = []


def prepare_worker(game: str, location: GameEntry) -> None:
    """Register a game in this process and reset the state."""
    ensure_registered(game, location)
    _WORK[:] = [WorkerState(game)]


def play_in_worker(
    concurrent: int | None,
    seconds: float,
    matches: Sequence[Match] = (),
    known_replies: Mapping[Key, Reply] = MappingProxyType({}),
    wants_log: bool = False,
) -> ChunkResult:
    """Play for some seconds, with at least one step.

    Args:
        concurrent: Calls of each model at once; None: see `calls_at_once`; `ALONE`: one match after the other.
        seconds: Seconds until the report.
        matches: New matches; empty: continue.
        wants_log: Whether calls are returned as a log has them.
    """
    return _WORK[0].play(concurrent, seconds, matches, known_replies, wants_log)
