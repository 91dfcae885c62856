"""Tasks that wait for calls: served calls run in threads, others in batches, and each task goes on with its reply.

A task is a generator that yields a `Need` whenever it needs a call, and is sent the outcome, a reply or an `Exception`.
It yields a `Shared` to wait for a task that others may wait for too, and is sent its result.
Tasks run in the thread that iterates over them, one at a time, so that their state needs no locks.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from heapq import heappop, heappush
from operator import itemgetter
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

from econzoo.baselines.calls import BudgetSpentError, check_budget

LAST_SECONDS = 3.0
"""Seconds for which calls in flight are awaited after an error, since they are paid."""

Result = TypeVar("Result")

Limits = Mapping[Hashable, Callable[[], int]]
"""Maximum calls at once by key of a `Need`."""


class Need(NamedTuple):
    """A call that a task needs.

    Attributes:
        key: Key of the calls that are counted, or answered, together.
        item: What is called with.
        run: Answers the item in a thread; None: the item is answered in a batch.
        limit: Returns the maximum calls of `run` at once.
        batch: Answers several items, with a pair of index and outcome for each, in any order.
        is_patient: Whether a batch only waits, so that it is called, in a thread, when no other call is in flight.
    """

    key: Hashable
    item: Any
    run: Callable[[Any], Any] | None = None
    limit: Callable[[], int] = lambda: 1
    batch: Callable[[Sequence[Any]], Iterable[tuple[int, Any]]] | None = None
    is_patient: bool = False


class Shared(NamedTuple):
    """A task for whose result several tasks may wait; the first starts it.

    Attributes:
        key: What tells it from others that run meanwhile.
        start: Creates the task, which raises no error but `BudgetSpentError`.
    """

    key: Hashable
    start: Callable[[], Task[Any]]


Task = Generator[Need | Shared, Any, Result]


class Pending(NamedTuple, Generic[Result]):
    """A task that has not started.

    Attributes:
        limits: Maximum calls by key of those that the task will need; empty: it starts at once.
        start: Creates the task.
    """

    limits: Limits
    start: Callable[[], Task[Result]]


class _Line:
    """Calls with one key: those that wait, of the earliest task first, and the number of those in threads."""

    def __init__(self) -> None:
        self.waiting: list[tuple[int, Need]] = []
        self.busy = 0


_Job = tuple[_Line, tuple[int, Need]]


class Scheduler(Generic[Result]):
    """Runs tasks and yields their results as they end.

    Args:
        tasks: Tasks in order; each starts when one of its keys has fewer calls than it answers at once.
        concurrent: Maximum calls at once of each key; None: `Need.limit`.
        alone: Whether one task runs after the other.
    """

    def __init__(self, tasks: Iterable[Pending[Result]], concurrent: int | None = None, alone: bool = False) -> None:
        self._concurrent, self._alone = concurrent, alone
        self._todo: dict[tuple[Hashable, ...], deque[tuple[int, Pending[Result]]]] = {}
        self._limits: dict[Hashable, Callable[[], int]] = {}
        for place, one in enumerate(tasks):
            self._todo.setdefault(tuple(one.limits), deque()).append((place, one))
            self._limits.update(one.limits)
        self._tasks: dict[int, Task[Result]] = {}
        self._keys: dict[int, tuple[Hashable, ...]] = {}
        # Started tasks, and those that wait for a call, by key.
        self._started, self._demand = Counter[Hashable](), Counter[Hashable]()
        # Tasks that wait for a shared one, by its key; it runs in the place of the first.
        self._waiting: dict[Hashable, list[tuple[int, Task[Any]]]] = {}
        self._shared: dict[int, Hashable] = {}
        self._batches: dict[Hashable, list[tuple[int, Need]]] = {}
        self._lines: dict[Hashable, _Line] = {}
        self._lock, self._done = threading.Lock(), SimpleQueue[tuple[int, Need, Any]]()
        self._idle, self._is_closed = list[SimpleQueue[_Job | None]](), False
        # Calls given to threads whose outcome has not been taken, and those of them that are in a batch.
        self._out = self._batched = 0

    def count(self) -> tuple[int, int]:
        """Return the numbers of calls in flight and of those that wait for room."""
        with self._lock:
            lines = list(self._lines.values())
            flying, waiting = sum(line.busy for line in lines), sum(len(line.waiting) for line in lines)
        return flying + self._batched, waiting + sum(map(len, list(self._batches.values())))

    def run(self) -> Iterator[list[tuple[int, Result]]]:
        """Run all tasks; yields index and result of those that have ended, after every step; often none.

        Raises:
            BudgetSpentError: The budget is spent; raised when all calls in flight have ended.
        """
        _RUNNING.append(self)
        patience = LAST_SECONDS
        try:
            while True:
                while (place := self._start_next()) is not None:
                    yield self._advance(place, None)
                if (ended := self._take_replies()) is None:
                    return
                yield ended
        except BudgetSpentError:
            self._drop_waiting()
            self._drain(None)
            check_budget()  # reports the cost of calls in flight too
            raise
        except KeyboardInterrupt:
            patience = 0.0
            raise
        finally:
            _RUNNING.remove(self)
            self._drop_waiting()
            self._drain(patience)
            with self._lock:
                self._is_closed = True
            for jobs in self._idle:
                jobs.put(None)

    # Starting

    def _start_next(self) -> int | None:
        """Start the first task with room, and return its index."""
        if self._alone and self._tasks:
            return None
        keys = min(filter(self._has_room, self._todo), key=lambda keys: self._todo[keys][0][0], default=None)
        if keys is None:
            return None
        place, one = self._todo[keys].popleft()
        if not self._todo[keys]:
            del self._todo[keys]
        self._tasks[place], self._keys[place] = one.start(), keys
        self._started.update(keys)
        return place

    def _has_room(self, keys: tuple[Hashable, ...]) -> bool:
        """Whether another task with these keys keeps one of them busy."""
        # A task with several keys waits for one of them at a time.
        return not keys or any(
            self._demand[key] < (most := self._limit(key)) and self._started[key] < most * len(keys) for key in keys
        )

    def _limit(self, key: Hashable) -> int:
        return self._concurrent or self._limits[key]()

    # Going on

    def _advance(self, place: int, outcome: Any) -> list[tuple[int, Result]]:
        """Run a task up to its next need, and return its result if it has ended."""
        try:
            need = self._tasks[place].send(outcome)
        except StopIteration as done:
            del self._tasks[place]
            if place in self._shared:
                waiting = self._waiting.pop(self._shared.pop(place))
                self._tasks.update(waiting)
                return [one for other, _ in waiting for one in self._advance(other, done.value)]
            self._started.subtract(self._keys.pop(place))
            return [(place, done.value)]
        if isinstance(need, Shared):
            waiting = self._waiting.setdefault(need.key, [])
            waiting.append((place, self._tasks.pop(place)))
            if waiting[1:]:
                return []
            self._tasks[place], self._shared[place] = need.start(), need.key
            return self._advance(place, None)
        self._demand[need.key] += 1
        if need.run is None:
            self._batches.setdefault(need.key, []).append((place, need))
        else:
            self._call(place, need)
        return []

    def _take_replies(self) -> list[tuple[int, Result]] | None:
        """Go on with the replies that have arrived, else with a batch, else wait; None if nothing is to come."""
        arrived = self._take_arrivals()
        if not arrived and self._batches:
            arrived = self._answer_batch()
        if not arrived:
            if not self._out:
                return None
            arrived = [self._done.get(), *self._take_arrivals()]
            self._out -= 1
        ended: list[tuple[int, Result]] = []
        for place, need, outcome in arrived:
            self._demand[need.key] -= 1
            self._batched -= need.is_patient
            if isinstance(outcome, BudgetSpentError):
                raise outcome
            ended += self._advance(place, outcome)
        return ended

    def _take_arrivals(self) -> list[tuple[int, Need, Any]]:
        found = []
        with suppress(Empty):
            while True:
                found.append(self._done.get_nowait())
        self._out -= len(found)
        return found

    # Batches

    def _answer_batch(self) -> list[tuple[int, Need, Any]]:
        """Answer a batch of each key; those that only wait are left to threads, when no call is in flight."""
        at_once = [key for key, waiting in self._batches.items() if not waiting[0][1].is_patient]
        if at_once:
            batches = [self._take_batch(key) for key in at_once]
            # In the order of the tasks, so that results without served calls come in the same order in every run.
            return sorted((done for batch in batches for done in self._run_batch(batch)), key=itemgetter(0))
        if not self._out:
            for key in list(self._batches):
                batch = self._take_batch(key)
                self._out += len(batch)
                self._batched += len(batch)
                threading.Thread(target=self._run_batch_in_thread, args=(batch,), daemon=True).start()
        return []

    def _take_batch(self, key: Hashable) -> list[tuple[int, Need]]:
        waiting = self._batches.pop(key)
        most = self._limit(key) if key in self._limits else len(waiting)
        if waiting[most:]:
            self._batches[key] = waiting[most:]
        return waiting[:most]

    @staticmethod
    def _run_batch(batch: list[tuple[int, Need]]) -> list[tuple[int, Need, Any]]:
        answer = batch[0][1].batch
        assert answer is not None, "a need has run or batch"
        return [(*batch[at], outcome) for at, outcome in answer([need.item for _, need in batch])]

    def _run_batch_in_thread(self, batch: list[tuple[int, Need]]) -> None:
        answer, left = batch[0][1].batch, dict(enumerate(batch))
        assert answer is not None, "a need has run or batch"
        try:
            for at, outcome in answer([need.item for _, need in batch]):
                self._done.put((*left.pop(at), outcome))
        except Exception as error:
            for one in left.values():
                self._done.put((*one, error))

    # Threads

    def _call(self, place: int, need: Need) -> None:
        self._out += 1
        with self._lock:
            line = self._lines.setdefault(need.key, _Line())
            heappush(line.waiting, (place, need))
        self._start_calls(line, self._concurrent or need.limit())

    def _start_calls(self, line: _Line, most: int) -> None:
        """Start waiting calls in idle or new threads; daemons, so that a slow server does not delay Ctrl-C."""
        while True:
            with self._lock:
                if not line.waiting or line.busy >= most:
                    return
                line.busy += 1
                job = line, heappop(line.waiting)
                idle = self._idle.pop() if self._idle else None
            # Outside of the lock, as a thread takes long to start.
            if idle is not None:
                idle.put(job)
            else:
                threading.Thread(target=self._work, args=(job,), daemon=True).start()

    def _work(self, job: _Job | None) -> None:
        jobs = SimpleQueue[_Job | None]()
        while job is not None:
            line, (place, need) = job
            assert need.run is not None, "a need has run or batch"
            try:
                outcome = need.run(need.item)
            except Exception as error:
                outcome = error
            except BaseException as error:
                outcome = RuntimeError(f"a call was ended by {type(error).__name__}")
            self._done.put((place, need, outcome))
            most = self._concurrent or need.limit()
            with self._lock:
                goes_on = bool(line.waiting) and line.busy <= most
                if goes_on:
                    job = line, heappop(line.waiting)
                else:
                    line.busy -= 1
                    if self._is_closed:
                        return
                    self._idle.append(jobs)
            if goes_on:
                self._start_calls(line, most)  # the limit may have grown
            else:
                job = jobs.get()

    def _drop_waiting(self) -> None:
        with self._lock:
            for line in self._lines.values():
                self._out -= len(line.waiting)
                line.waiting.clear()

    def _drain(self, seconds: float | None) -> None:
        """Wait for the calls in flight, which are paid; None: without end."""
        until = None if seconds is None else time.monotonic() + seconds
        with suppress(Empty):
            while self._out:
                self._done.get(timeout=until and max(0.0, until - time.monotonic()))
                self._out -= 1


_RUNNING: list[Scheduler[Any]] = []


def count_calls() -> tuple[int, int]:
    """Return the numbers of calls in flight and of those that wait, of all running schedulers."""
    counts = [one.count() for one in list(_RUNNING)]
    return sum(flying for flying, _ in counts), sum(waiting for _, waiting in counts)


def run_tasks(tasks: Iterable[Callable[[], Task[Result]]]) -> Iterator[tuple[int, Result | Exception]]:
    """Run tasks that all start at once, and yield index and result, or error, as each ends."""
    scheduler = Scheduler([Pending({}, partial(catch_errors, one)) for one in tasks])
    for ended in scheduler.run():
        yield from ended


def outcomes_of(tasks: Iterable[Callable[[], Task[Result]]]) -> list[Result | Exception]:
    """Run tasks side by side, and return their results or errors in order."""
    return [outcome for _, outcome in sorted(run_tasks(tasks), key=itemgetter(0))]


def catch_errors(start: Callable[[], Task[Result]]) -> Task[Result | Exception]:
    """Return a task whose result is that of another, or its error."""
    try:
        return (yield from start())
    except BudgetSpentError:
        raise
    except Exception as error:
        return error
