"""Journal of completed model calls, so that an interrupted run resumes without paying twice.

An open journal records every call with its match, seat, number and a hash of the request. On resume, the same call is
answered from the file; any other call is made.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.baselines.models import spending
from econzoo.baselines.models.chat import ChatModel, Completion, Conversation, Schema, without_functions
from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import add_path_to_errors, append
from econzoo.envs.core.record.lines import read_lines

SUFFIX = ".calls"
"""Suffix of a journal, after the name of its output file."""

Key = tuple[str, int, int, str]


class Call(NamedTuple):
    """One call of a model.

    Attributes:
        match: Id of the match or other caller; empty: the call is not recorded.
        seat: Seat of the caller.
        number: Index of the call among those of the seat in the match.
        conversation: See `ChatModel.complete`.
        schema: See `ChatModel.complete`.
        seed: See `ChatModel.complete`.
        limit: Token limit of the reply; None: the model's default. Not part of the key.
    """

    match: str
    seat: int
    number: int
    conversation: Conversation
    schema: Schema | None
    seed: int
    limit: int | None = None

    @property
    def key(self) -> Key:
        """Match, seat, number and a hash of the request."""
        request = json.dumps([list(self.conversation), self.schema, self.seed], sort_keys=True, default=str)
        return self.match, self.seat, self.number, hashlib.sha256(request.encode()).hexdigest()[:16]


class Journal:
    """A file of calls.

    Args:
        path: The file, which need not exist; incomplete lines are ignored.
        required: Whether a write error is raised; else calls are then not recorded.

    Attributes:
        keeps_file: Whether the file stays after the run, because parts of it will be retried.
    """

    def __init__(self, path: Path, required: bool = True) -> None:
        self.path, self._vital = path, required
        self._lock = threading.Lock()
        self._known = dict(_read(path)) if path.exists() else {}
        self._handle: int | None = None
        self.keeps_file = False

    def find(self, call: Call) -> Completion | None:
        """Return the recorded reply to a call, if any."""
        return self._known.get(call.key)

    def calls_of(self, matches: Collection[str] | None) -> dict[Key, Completion]:
        """Return the calls of matches by id; None: of all."""
        return {key: reply for key, reply in self._known.items() if matches is None or key[0] in matches}

    def add(self, key: Key, reply: Completion) -> None:
        """Record a completed call."""
        with nullcontext() if self._vital else suppress(OSError):
            self._write(key, reply)
        self._known[key] = reply

    def _write(self, key: Key, reply: Completion) -> None:
        line = json.dumps({"call": key, "reply": asdict(reply)}, ensure_ascii=True) + "\n"
        with self._lock:
            if self._handle is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                line = "\n" + line  # the previous line may be incomplete
            with add_path_to_errors(self.path):
                append(self._handle, line.encode())
                os.fsync(self._handle)

    def close(self) -> None:
        """Close the file; a late reply, as after Ctrl-C, reopens it."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
            self._handle = None


def _read(path: Path) -> Iterator[tuple[Key, Completion]]:
    for _, line in read_lines(path):
        try:
            record = parse_json(line)
            match, seat, number, digest = record["call"]
            yield (match, seat, number, digest), Completion(**record["reply"])
        except (ValueError, KeyError, TypeError):
            continue


_OPEN: list[Journal] = []
"""Open journals; the last one records calls."""


class CallCollector(Journal):
    """Collects the calls of a worker process, which another process writes.

    Args:
        known: Recorded calls.
    """

    def __init__(self, known: Mapping[Key, Completion]) -> None:
        self._vital, self._known, self._made = True, dict(known), list[tuple[Key, Completion]]()

    def _write(self, key: Key, reply: Completion) -> None:
        self._made.append((key, reply))

    def take_calls(self) -> list[tuple[Key, Completion]]:
        """Return and clear the new calls."""
        made, self._made = self._made, []
        return made


def collect_calls(known: Mapping[Key, Completion]) -> CallCollector:
    """Collect the calls of this process from now on."""
    _OPEN[:] = [collector := CallCollector(known)]
    return collector


def recorded_calls(match_ids: Callable[[], Collection[str]] | None = None) -> dict[Key, Completion]:
    """Return the recorded calls of the open journal, of all or some matches; ids are computed only if it has any."""
    return _OPEN[-1].calls_of(match_ids and match_ids()) if _OPEN and _OPEN[-1].calls_of(None) else {}


def store_calls(made: Iterable[tuple[Key, Completion]]) -> None:
    """Record calls of another process in the open journal, and charge them to the open budget."""
    for key, reply in made:
        spending.charge(reply)
        if _OPEN:
            _OPEN[-1].add(key, reply)


@contextmanager
def open_journal(target: Path, required: bool = True) -> Iterator[Journal]:
    """Record all model calls in a journal, deleted once the output file is complete.

    Args:
        target: Output file of the run.
        required: See `Journal`.
    """
    journal = Journal(target.with_name(target.name + SUFFIX), required)
    _OPEN.append(journal)
    try:
        yield journal
    finally:
        _OPEN.remove(journal)
        journal.close()
    if not journal.keeps_file:
        journal.path.unlink(missing_ok=True)


def complete_calls(model: ChatModel, calls: Sequence[Call]) -> Iterator[tuple[int, Completion | Exception]]:
    """Yield the replies to calls as they arrive, with their index; a failed call yields its error.

    Args:
        model: Model for calls that are not in the open journal.
        calls: Calls of one batch.

    Raises:
        BudgetSpentError: The budget is spent; completed calls are recorded.
    """
    # A model with state per match counts its calls, so all of them must be made.
    book = _OPEN[-1] if _OPEN and not hasattr(model, "fresh_copy") else None
    known = {place: book.find(call) for place, call in enumerate(calls) if call.match} if book else {}
    yield from ((place, reply) for place, reply in known.items() if reply is not None)
    todo = [place for place in range(len(calls)) if known.get(place) is None]
    if todo:
        spending.check()

    def record(at: int, reply: Completion) -> None:
        spending.charge(reply)
        if book and calls[todo[at]].match:
            book.add(calls[todo[at]].key, reply)

    spent: spending.BudgetSpentError | None = None
    for at, reply in _ask_model(model, [calls[place] for place in todo], record):
        if isinstance(reply, spending.BudgetSpentError):
            spent = reply  # wait for calls in flight: they are paid
        else:
            yield todo[at], reply
    if spent is not None:
        spending.check()  # reports the cost of calls in flight too
        raise spent


def _ask_model(
    model: ChatModel, calls: Sequence[Call], on_reply: Callable[[int, Completion], None]
) -> Iterator[tuple[int, Completion | Exception]]:
    if not calls:
        return
    convert = (lambda conversation: conversation) if getattr(model, "native_tools", False) else without_functions
    parts = [list(part) for part in zip(*((convert(c.conversation), c.schema, c.seed) for c in calls), strict=True)]
    limits = {"limits": [call.limit for call in calls]} if getattr(model, "takes_limits", False) else {}
    one_by_one = getattr(model, "completions", None)
    if one_by_one is not None:
        yield from one_by_one(*parts, on_reply, **limits)
        return
    complete: Any = model.complete
    try:
        replies = complete(*parts, **limits)
    except Exception as error:  # cannot be attributed to one call
        yield from enumerate([error] * len(calls))
        return
    for at, reply in enumerate(replies):
        on_reply(at, reply)
        yield at, reply
