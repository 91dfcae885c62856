"""Calls of language models as a run sees them: errors, budget and journal.

An open budget counts every call immediately, in all threads. Each call to a server first waits while the calls in
flight could exhaust the budget if each cost as much as the most expensive so far. So a limit is exceeded by at most one
call, or by calls more expensive than all others. A call that waits for a busy server is not in flight.

An open journal records every call with its match, seat, number and a hash of the request. So an interrupted run resumes
without paying twice: the same call is answered from the file; any other call is made.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from econzoo.envs.core import add_path_to_errors, append
from econzoo.envs.core.contract import parse_json
from econzoo.envs.core.record import read_lines

Key = tuple[str, int, int, str]
"""Match, seat, number of the call among those of the seat, and a hash of the request."""

Reply = Mapping[str, Any]
"""Fields of a `econzoo.baselines.models.chat.Completion`."""


class ModelError(RuntimeError):
    """A model could not be loaded or could not reply; the message says why and what to do."""


class RefusedError(ModelError):
    """A server refuses an explicit option, or a model cannot be loaded, so that the run ends."""


class UnavailableError(RefusedError):
    """A server cannot be used (key, model, credit, address), which does not pass by itself, so that the run ends."""

    exit_code = 3


# Budget


class BudgetSpentError(RuntimeError):
    """The budget of a run is spent or was not confirmed; the command line exits with `exit_code`."""

    exit_code = 4


@dataclass
class Budget:
    """Limits and spending of a run.

    Attributes:
        max_cost: US dollars; None: no limit.
        max_tokens: Prompt and completion tokens; None: no limit.
        batch: Whether models are asked by the batch interface of their provider.
        cost: US dollars spent so far, including previous processes.
        tokens: Tokens used so far, including previous processes.
        largest_call: Maximum US dollars and maximum tokens of a call.
        logprobs: Whether records get the probabilities of the kinds of move.
        patience: Seconds that the run waits for a server that limits its rate or is overloaded; None: no limit.
    """

    max_cost: float | None = None
    max_tokens: int | None = None
    is_confirmed: bool = False
    patience: float | None = None
    batch: bool = False
    cost: float = 0.0
    tokens: int = 0
    calls: int = 0
    largest_call: tuple[float, int] = (0.0, 0)
    record_files: list[Path] = field(default_factory=list)
    logprobs: bool = False
    _calls_in_flight: int = field(default=0, repr=False)
    _condition: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def __post_init__(self) -> None:
        for name, value in (("max_cost", self.max_cost), ("max_tokens", self.max_tokens)):
            if value is not None and not 0 < value < float("inf"):
                raise ValueError(f"invalid {name}={value!r}: expected a number above 0")

    @property
    def is_particular(self) -> bool:
        """Whether calls depend on it, so that they must be made in its process."""
        limits = self.max_cost, self.max_tokens, self.patience
        return self.batch or self.logprobs or limits != (None, None, None)

    def add(self, cost: float, tokens: int) -> None:
        with self._condition:
            self.cost, self.tokens = self.cost + cost, self.tokens + tokens

    def charge_call(self, cost: float, tokens: int) -> None:
        with self._condition:
            self.largest_call = max(self.largest_call[0], cost), max(self.largest_call[1], tokens)
            self.calls += 1
        self.add(cost, tokens)

    @contextmanager
    def reserve_call(self) -> Iterator[None]:
        """Reserve budget for a call of this thread until it is charged."""
        outer = _RESERVED.__dict__.get("budget")
        self._reserve()
        _RESERVED.budget = self
        try:
            # Checked after waiting: the calls in flight may have spent the rest.
            self.check()
            yield
        finally:
            _RESERVED.budget = outer
            self._release()

    @contextmanager
    def release_call(self) -> Iterator[None]:
        """Release the reservation of a call that waits for its server."""
        self._release()
        try:
            yield
        finally:
            self._reserve()
        self.check()

    def _reserve(self) -> None:
        with self._condition:
            self._condition.wait_for(lambda: not self._calls_in_flight or self._has_room())
            self._calls_in_flight += 1

    def _release(self) -> None:
        self.release_calls(1)

    def reserve_calls(self, wanted: int, unknown: tuple[float, int]) -> int:
        """Reserve budget for as many calls as it has room for, at least one, until `release_calls`.

        Args:
            unknown: Most US dollars and tokens of a call, if none has been charged.
        """
        with self._condition:
            self._condition.wait_for(lambda: not self._calls_in_flight or self._has_room())
            self.check()
            left = self._remaining_limits(self.largest_call if self.calls else unknown)
            rooms = [ceil(rest / most) - self._calls_in_flight for rest, most in left if most]
            count = max(1, min([wanted, *rooms]))
            self._calls_in_flight += count
        return count

    def release_calls(self, count: int) -> None:
        """Release reserved calls, which are charged by now."""
        with self._condition:
            self._calls_in_flight -= count
            self._condition.notify_all()

    def _remaining_limits(self, call: tuple[float, int]) -> list[tuple[float, float]]:
        """Return for each limit what is left of it, and what of it a call takes."""
        limits = zip((self.max_cost, self.max_tokens), (self.cost, self.tokens), call, strict=True)
        return [(limit - spent, most) for limit, spent, most in limits if limit is not None]

    def _has_room(self) -> bool:
        """Whether calls in flight leave budget for another, or none is left anyway; the first call runs alone."""
        left = self._remaining_limits(self.largest_call)
        # A spent budget has room, so that the call wakes up and `check` refuses it.
        if not left or min(left)[0] <= 0:
            return True
        # The price of a call is unknown until one is charged.
        return self.calls > 0 and all(self._calls_in_flight * most < rest for rest, most in left)

    def check(self) -> None:
        """Raise `BudgetSpentError` if a limit is reached."""
        over = self.max_cost is not None and self.cost >= self.max_cost
        if over or (self.max_tokens is not None and self.tokens >= self.max_tokens):
            option = "--max-cost" if over else "--max-tokens"
            raise BudgetSpentError(f"the budget is spent: {self}; to resume, rerun with a larger {option}")

    def __str__(self) -> str:
        """Format as ``$0.42 of $5.00, 12,400 tokens``."""
        cost = (
            []
            if not self.cost and self.max_cost is None
            else [format_dollars(self.cost) + _format_limit(self.max_cost, format_dollars)]
        )
        return ", ".join([*cost, f"{self.tokens:,}{_format_limit(self.max_tokens, '{:,}'.format)} tokens"])


def format_dollars(amount: float) -> str:
    """Format US dollars to a cent, or to two significant digits below a dollar."""
    return f"${amount:,.2f}" if amount >= 1 or not amount else f"${float(f'{amount:.2g}'):,.{_digits(amount)}f}"


def _digits(amount: float) -> int:
    return max(2, 1 - int(f"{amount:e}".partition("e")[2]))


def _format_limit(limit: float | None, format_amount: Callable[[float], str]) -> str:
    return "" if limit is None else f" of {format_amount(limit)}"


_RESERVED = threading.local()
"""Budget in which this thread has reserved a call."""

# A list, not a context variable: the threads of a batch charge the budget of the run.
_BUDGETS: list[Budget] = []
"""Open budgets; the last one is charged."""


@contextmanager
def open_budget(budget: Budget) -> Iterator[Budget]:
    """Charge all calls to a budget."""
    _BUDGETS.append(budget)
    try:
        yield budget
    finally:
        _BUDGETS.remove(budget)


def current_budget() -> Budget | None:
    """Return the open budget, if any."""
    return _BUDGETS[-1] if _BUDGETS else None


def wants_logprobs() -> bool:
    """Whether models should tell the probabilities of the kinds of move."""
    return bool(_BUDGETS) and _BUDGETS[-1].logprobs


def check_budget() -> None:
    """Raise `BudgetSpentError` if the open budget is spent."""
    if _BUDGETS:
        _BUDGETS[-1].check()


def reserve_call() -> AbstractContextManager[None]:
    """Reserve a call in the open budget; see `Budget.reserve_call`."""
    return _BUDGETS[-1].reserve_call() if _BUDGETS else nullcontext()


def release_call() -> AbstractContextManager[None]:
    """Release this thread's reservation, if it has one, while its call waits; see `Budget.release_call`."""
    own = _RESERVED.__dict__.get("budget")
    return own.release_call() if own else nullcontext()


def charge(reply: Reply) -> None:
    """Charge a call to the open budget."""
    if _BUDGETS:
        _BUDGETS[-1].charge_call(reply["cost"], reply["prompt_tokens"] + reply["completion_tokens"])


# Journal


SUFFIX = ".calls"
"""Suffix of a journal, after the name of its output file."""


class Journal:
    """A file of calls.

    Args:
        required: Whether a write error is raised; else calls are then not recorded.

    Attributes:
        keeps_file: Whether the file stays after the run, because parts of it will be retried.
        batches: Batches of calls that interrupted runs have announced or submitted.
    """

    def __init__(self, path: Path, required: bool = True) -> None:
        self.path, self._vital = path, required
        self._lock = threading.Lock()
        self._known, self.batches = _read(path) if path.exists() else ({}, [])
        self._handle: int | None = None
        self.keeps_file = False

    def find(self, key: Key) -> Reply | None:
        """Return the recorded reply to a call, if any."""
        return self._known.get(key)

    def calls_of(self, matches: Collection[str] | None) -> dict[Key, Reply]:
        """Return the calls of matches by id; None: of all."""
        return {key: reply for key, reply in self._known.items() if matches is None or key[0] in matches}

    def add(self, key: Key, reply: Reply) -> None:
        """Record a completed call."""
        with nullcontext() if self._vital else suppress(OSError):
            self._write(key, reply)
        self._known[key] = reply

    def add_batch(self, entry: Mapping[str, Any]) -> None:
        """Record a batch of calls that is about to be submitted, or has been."""
        with nullcontext() if self._vital else suppress(OSError):
            self._write_line({"batch": entry})

    def _write(self, key: Key, reply: Reply) -> None:
        self._write_line({"call": key, "reply": reply})

    def _write_line(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=True) + "\n"
        with self._lock:
            if self._handle is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                line = "\n" + line  # the previous line may be incomplete
            with add_path_to_errors(self.path):
                append(self._handle, line.encode())
                # A paid reply must survive a crash of the machine.
                os.fsync(self._handle)

    def close(self) -> None:
        """Close the file; a late reply, as after Ctrl-C, reopens it."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
            self._handle = None


def _read(path: Path) -> tuple[dict[Key, Reply], list[Mapping[str, Any]]]:
    """Return the calls and the batches of a journal; a batch with an id replaces its announcement."""
    calls: dict[Key, Reply] = {}
    batches: dict[str, Mapping[str, Any]] = {}
    for _, line in read_lines(path):
        try:
            record = parse_json(line)
            if "batch" in record:
                batches[json.dumps(record["batch"]["mark"])] = record["batch"]
                continue
            match, seat, number, digest = record["call"]
            calls[match, seat, number, digest] = record["reply"]
        # The last line of a killed run may be incomplete; its call is made again.
        except (ValueError, KeyError, TypeError):
            continue
    return calls, list(batches.values())


_JOURNALS: list[Journal] = []
"""Open journals; the last one records calls."""


class CallCollector(Journal):
    """Collects the calls of a worker process, which another process writes."""

    def __init__(self, known: Mapping[Key, Reply]) -> None:
        # Without `super().__init__`, since it has no file.
        self._vital, self._known, self._made = True, dict(known), list[tuple[Key, Reply]]()

    def _write(self, key: Key, reply: Reply) -> None:
        self._made.append((key, reply))

    def take_calls(self) -> list[tuple[Key, Reply]]:
        """Return and clear the new calls."""
        made, self._made = self._made, []
        return made


def collect_calls(known: Mapping[Key, Reply]) -> CallCollector:
    """Collect the calls of this process from now on."""
    # Replaces the collector of the previous matches, whose calls are taken.
    _JOURNALS[:] = [collector := CallCollector(known)]
    return collector


def recorded_calls(match_ids: Callable[[], Collection[str]] | None = None) -> dict[Key, Reply]:
    """Return the recorded calls of the open journal, of all or some matches; ids are computed only if it has any."""
    return _JOURNALS[-1].calls_of(match_ids and match_ids()) if _JOURNALS and _JOURNALS[-1].calls_of(None) else {}


def store_calls(made: Iterable[tuple[Key, Reply]]) -> None:
    """Record calls of another process in the open journal, and charge them to the open budget."""
    for key, reply in made:
        charge(reply)
        if _JOURNALS:
            _JOURNALS[-1].add(key, reply)


@contextmanager
def open_journal(target: Path, required: bool = True) -> Iterator[Journal]:
    """Record all model calls in a journal, deleted once the output file is complete."""
    journal = Journal(target.with_name(target.name + SUFFIX), required)
    _JOURNALS.append(journal)
    try:
        yield journal
    finally:
        _JOURNALS.remove(journal)
        journal.close()
    # Not in the `finally`: after an error the journal stays, for the run to resume.
    if not journal.keeps_file:
        journal.path.unlink(missing_ok=True)


def current_journal() -> Journal | None:
    """Return the open journal, if any."""
    return _JOURNALS[-1] if _JOURNALS else None
