"""Finished calls of models in a file, so that a run that was stopped goes on without paying for any of them twice.

While a journal is open, every call goes into it at once, with who asked, the number of the call and a hash of all that
was asked. Started again, the same call is answered from the file; one that asks anything else is made.
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
"""What follows the name of the file whose making a journal belongs to."""

Key = tuple[str, int, int, str]


class Call(NamedTuple):
    """One call of a model.

    Attributes:
        match: Id of the match, or of whatever else asks; empty: the call is not kept.
        seat: That asks.
        number: Of the call, among all of the seat in the match.
        conversation: See `ChatModel.complete`.
        schema: Likewise.
        seed: Likewise.
        limit: The most tokens of the reply; None: the model's own. It follows from who asks and for what.
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
        """What names the call: who asks for the how manieth time, and a hash of what is asked."""
        asked = json.dumps([list(self.conversation), self.schema, self.seed], sort_keys=True, default=str)
        return self.match, self.seat, self.number, hashlib.sha256(asked.encode()).hexdigest()[:16]


class Journal:
    """The calls of a file, and those that are added to it.

    Args:
        path: The file, which need not exist; a line that a kill has torn counts for nothing.
        required: Whether a file that cannot be written to is an error; else calls are not kept then.

    Attributes:
        keeps_file: Whether the file stays when the work is done, because some of it is to be tried again.
    """

    def __init__(self, path: Path, required: bool = True) -> None:
        self.path, self._vital = path, required
        self._lock = threading.Lock()
        self._known = dict(_read(path)) if path.exists() else {}
        self._handle: int | None = None
        self.keeps_file = False

    def find(self, call: Call) -> Completion | None:
        """The reply to a call, if it was made before."""
        return self._known.get(call.key)

    def calls_of(self, matches: Collection[str] | None) -> dict[Key, Completion]:
        """The calls of matches, by their ids; None: all of them."""
        return {key: reply for key, reply in self._known.items() if matches is None or key[0] in matches}

    def add(self, key: Key, reply: Completion) -> None:
        """Writes a finished call, in a line of its own."""
        with nullcontext() if self._vital else suppress(OSError):
            self._write(key, reply)
        self._known[key] = reply

    def _write(self, key: Key, reply: Completion) -> None:
        line = json.dumps({"call": key, "reply": asdict(reply)}, ensure_ascii=True) + "\n"
        with self._lock:
            if self._handle is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                line = "\n" + line  # the one before may be torn
            with add_path_to_errors(self.path):
                append(self._handle, line.encode())
                os.fsync(self._handle)

    def close(self) -> None:
        """Closes the file; a reply that comes later still, as after Ctrl-C, opens it again."""
        with self._lock:
            if self._handle is not None:
                os.close(self._handle)
            self._handle = None


def _read(path: Path) -> Iterator[tuple[Key, Completion]]:
    for _, line in read_lines(path):
        try:
            given = parse_json(line)
            match, seat, number, digest = given["call"]
            yield (match, seat, number, digest), Completion(**given["reply"])
        except (ValueError, KeyError, TypeError):
            continue


_OPEN: list[Journal] = []
"""The journals that are open; calls go into the last one."""


class CallCollector(Journal):
    """The calls of a process that writes nothing: another one takes them and writes them down.

    Args:
        known: Calls that were made before.
    """

    def __init__(self, known: Mapping[Key, Completion]) -> None:
        self._vital, self._known, self._made = True, dict(known), list[tuple[Key, Completion]]()

    def _write(self, key: Key, reply: Completion) -> None:
        self._made.append((key, reply))

    def take_calls(self) -> list[tuple[Key, Completion]]:
        """The calls that were made since the last time."""
        made, self._made = self._made, []
        return made


def collect_calls(known: Mapping[Key, Completion]) -> CallCollector:
    """Has this process carry its calls, from now on."""
    _OPEN[:] = [carried := CallCollector(known)]
    return carried


def recorded_calls(match_ids: Callable[[], Collection[str]] | None = None) -> dict[Key, Completion]:
    """What the open journal knows of all, or of matches by their ids, which are asked for only if it knows anything."""
    return _OPEN[-1].calls_of(match_ids and match_ids()) if _OPEN and _OPEN[-1].calls_of(None) else {}


def store_calls(made: Iterable[tuple[Key, Completion]]) -> None:
    """Writes calls of another process into the open journal, and has the open purse pay for them."""
    for key, reply in made:
        spending.charge(reply)
        if _OPEN:
            _OPEN[-1].add(key, reply)


@contextmanager
def open_journal(target: Path, required: bool = True) -> Iterator[Journal]:
    """Keeps all calls of models in a journal until the work is done; then they stand in what it made, and it goes.

    Args:
        target: The file that is being made.
        required: See `Journal`.
    """
    opened = Journal(target.with_name(target.name + SUFFIX), required)
    _OPEN.append(opened)
    try:
        yield opened
    finally:
        _OPEN.remove(opened)
        opened.close()
    if not opened.keeps_file:
        opened.path.unlink(missing_ok=True)


def complete_calls(model: ChatModel, calls: Sequence[Call]) -> Iterator[tuple[int, Completion | Exception]]:
    """The replies to calls as they come, each with its place; a call that failed gives its error.

    Args:
        model: Is asked what no open journal knows.
        calls: All at once.

    Raises:
        SpentError: The budget is spent; the calls that were made until then are kept.
    """
    # A model that is made afresh for each match counts its calls: it has to be asked for every one.
    book = _OPEN[-1] if _OPEN and not hasattr(model, "fresh_copy") else None
    known = {place: book.find(call) for place, call in enumerate(calls) if call.match} if book else {}
    yield from ((place, reply) for place, reply in known.items() if reply is not None)
    todo = [place for place in range(len(calls)) if known.get(place) is None]
    if todo:
        spending.check()

    def keep(at: int, reply: Completion) -> None:
        spending.charge(reply)
        if book and calls[todo[at]].match:
            book.add(calls[todo[at]].key, reply)

    spent: spending.BudgetSpentError | None = None
    for at, reply in _ask_model(model, [calls[place] for place in todo], keep):
        if isinstance(reply, spending.BudgetSpentError):
            spent = reply  # those that are under way are waited for: they are paid
        else:
            yield todo[at], reply
    if spent is not None:
        spending.check()  # says what those under way have cost too
        raise spent


def _ask_model(
    model: ChatModel, calls: Sequence[Call], on_reply: Callable[[int, Completion], None]
) -> Iterator[tuple[int, Completion | Exception]]:
    if not calls:
        return
    told = (lambda conversation: conversation) if getattr(model, "native_tools", False) else without_functions
    parts = [list(part) for part in zip(*((told(c.conversation), c.schema, c.seed) for c in calls), strict=True)]
    limits = {"limits": [call.limit for call in calls]} if getattr(model, "takes_limits", False) else {}
    one_by_one = getattr(model, "completions", None)
    if one_by_one is not None:
        yield from one_by_one(*parts, on_reply, **limits)
        return
    complete: Any = model.complete
    try:
        replies = complete(*parts, **limits)
    except Exception as error:  # nobody knows whose it is
        yield from enumerate([error] * len(calls))
        return
    for at, reply in enumerate(replies):
        on_reply(at, reply)
        yield at, reply
