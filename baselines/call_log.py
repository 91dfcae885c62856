"""Log of the calls of language models in a run: each request and reply as sent and received.

The requests of a match are growing prefixes, so a text that the file has is written as its number. A file is a gzip
stream with a complete block per line: after a kill only the last line can be missing.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core import ARCHIVE_BYTES, LARGE_FILE_BYTES, add_path_to_errors, append, open_file
from econzoo.envs.core.contract import MAX_NESTING, check_arguments, parse_json
from econzoo.envs.core.record import BLOCK, RECORD_SUFFIX, read_lines

__all__ = ["LoggedCall", "read_call_log"]

CALLS_FOLDER = "calls"
"""Folder of the files, beside the records."""

LOG_SUFFIX = ".log.gz"
"""Suffix of the files, which are no record files."""

REDACTED = "[key]"

_SECRET_NAME = re.compile(
    r"authorization|cookie|passw|secret|credential|api[-_]?key|^x-.*key|(access|auth|bearer|session|refresh|security|api"
    r"|id)[-_]?token$",
    re.IGNORECASE,
)
"""Names of fields whose texts are not written."""

_SECRET_VARIABLE = re.compile(r"(?:^|_|API)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL)S?(?:_|$)")

_SECRET_TEXT = re.compile(
    r"(?<![\w-])(?:sk-|rk-|gsk_|xai-|pplx-|nvapi-|hf_)[A-Za-z0-9_-]{16,}|AIza[A-Za-z0-9_-]{20,}|AKIA[A-Z0-9]{12,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/-]{8,}=*|(?<=[?&]key=)[^&\s\"']+"
)
"""Texts in the form of a key, wherever they stand."""

MIN_SECRET_LENGTH = 8
"""Characters of a key: shorter values of variables, such as `none`, are words that any text may have."""

MIN_PART_LENGTH = 80
"""Characters of texts that are written once."""

_PART, _TEXT, _DICT = "$part", "$text", "$dict"
"""Marks of a number of a part, of a text by paragraphs, and of a dictionary with one of the marks as a key."""

_PARAGRAPH = "\n\n"

MAX_DECODED = 2**27
"""Characters of a call, or of the calls of a match: parts in parts could otherwise grow without end."""

NODE_COST = 128
"""Characters as which every value of a call counts."""

MAX_CALL_TIME = 1e11
"""Seconds since 1970, and of a call: larger ones are no times."""

_HIDDEN: set[str] = set()
"""Keys of the models of this process."""


def hide_secret(key: str) -> None:
    """Keep a key out of every call log of this process."""
    if len(key) >= MIN_SECRET_LENGTH:
        _HIDDEN.add(key)


class LoggedCall(NamedTuple):
    """A call of a log.

    Attributes:
        number: Index of the call among those of the seat in the match.
        started: Seconds since 1970.
        seconds: Until the reply, with failed attempts and waits; None: under way, or cut off by the end of its run.
        request: As sent, or conversation, schema, seed and limit of the call.
        response: As received; None without one.
        error: Why there is no reply; empty: there is one.
        attempts: Failed attempts ahead of the reply.
    """

    match: str
    seat: int
    number: int
    started: float
    seconds: float | None = None
    request: Any = None
    response: Any = None
    error: str = ""
    attempts: Sequence[Any] = ()

    @property
    def is_open(self) -> bool:
        """Whether the call has started and not ended."""
        return self.seconds is None


class ForgedLogError(Exception):
    """A log is nothing that a run has written, and cannot be read."""


class CallLog:
    """Writes a log into a folder; the file is made by the first call.

    Args:
        name: Beginning of the name of the file, followed by the time and the process.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._lock, self._process = threading.Lock(), os.getpid()
        self._parts: dict[bytes, int] = {}
        self._handle: int | None = None
        self._path = folder
        self._pack: Any = None
        secrets = (value for key, value in os.environ.items() if _SECRET_VARIABLE.search(key))
        self._secrets = {value for value in secrets if len(value) >= MIN_SECRET_LENGTH}

    def write(self, call: LoggedCall) -> None:
        """Write a call, without keys; in a process forked from the run's own, nothing."""
        if self._process != os.getpid():
            return
        given = {name: value for name, value in call._asdict().items() if value not in (None, "", (), [])}
        given = self._without_secrets(given)
        with self._lock:
            new: list[Any] = []
            line = {
                name: self._encode(value, new) if name in ("request", "response") else value
                for name, value in given.items()
            }
            try:
                self._append({**({"parts": new} if new else {}), **line})
            except OSError:
                self._leave()  # later lines would name parts that are not there
                raise

    def _without_secrets(self, value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            if _SECRET_NAME.search(name):
                return REDACTED
            # Longest first: a key that begins with another one would leave its rest.
            for secret in sorted({*self._secrets, *tuple(_HIDDEN)}, key=len, reverse=True):
                value = value.replace(secret, REDACTED)
            return _SECRET_TEXT.sub(REDACTED, value)
        if isinstance(value, Mapping):
            clean = self._without_secrets
            return {clean(str(key)): clean(one, str(key)) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._without_secrets(one, name) for one in value]
        # Objects of a library would be written by their printed form.
        return value if value is None or isinstance(value, bool | int | float) else self._without_secrets(str(value))

    def _encode(self, value: Any, new: list[Any]) -> Any:
        """Replace texts and objects by the numbers of parts; those that the file lacks are added to `new`."""
        if isinstance(value, str):
            if len(value) < MIN_PART_LENGTH:
                return value
            # By paragraphs, since a prompt that is one text grows too.
            parts = [self._number(one, new) if len(one) >= MIN_PART_LENGTH else one for one in value.split(_PARAGRAPH)]
            return parts[0] if len(parts) == 1 else {_TEXT: parts}
        if isinstance(value, list):
            return [self._encode_object(one, new) for one in value]
        if isinstance(value, dict):
            found = {key: self._encode_object(one, new) for key, one in value.items()}
            return {_DICT: list(found.items())} if found.keys() & {_PART, _TEXT, _DICT} else found
        return value

    def _encode_object(self, value: Any, new: list[Any]) -> Any:
        found = self._encode(value, new)
        is_long = isinstance(value, dict) and len(json.dumps(found)) >= MIN_PART_LENGTH
        return self._number(found, new) if is_long else found

    def _number(self, part: Any, new: list[Any]) -> Any:
        digest = hashlib.sha256(json.dumps(part).encode()).digest()[:16]
        if digest not in self._parts:
            self._parts[digest] = len(self._parts)
            new.append(part)
        return {_PART: self._parts[digest]}

    def _append(self, line: Mapping[str, Any]) -> None:
        if self._handle is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            at = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
            self._path = self._folder / f"{self._name}-{at}-{os.getpid()}-{os.urandom(2).hex()}{LOG_SUFFIX}"
            # Conversations may be private.
            self._handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
            _lock(self._handle, for_writing=True)
            self._pack = zlib.compressobj(wbits=31)
        packed = self._pack.compress(json.dumps(line, separators=(",", ":")).encode() + b"\n")
        with add_path_to_errors(self._path):
            append(self._handle, packed + self._pack.flush(zlib.Z_SYNC_FLUSH))

    def close(self) -> None:
        """Finish the file; a later call, as after Ctrl-C, begins another."""
        with self._lock:
            if self._handle is not None:
                with suppress(OSError):
                    append(self._handle, self._pack.flush())
            self._leave()

    def _leave(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
        self._handle = None
        self._parts.clear()


class LogCollector(CallLog):
    """Collects the calls of a worker process, without keys; another process writes them."""

    def __init__(self) -> None:
        super().__init__(Path(), "")
        self._made: list[LoggedCall] = []

    def write(self, call: LoggedCall) -> None:
        self._made.append(LoggedCall(**self._without_secrets(call._asdict())))

    def take_calls(self) -> list[LoggedCall]:
        """Return and clear the new calls."""
        made, self._made = self._made, []
        return made


_LOGS: list[CallLog | None] = []
"""Open logs; the last one is written, None: nothing is."""


@contextmanager
def open_call_log(records: Path) -> Iterator[None]:
    """Log all model calls in `CALLS_FOLDER` beside a record file, unless `keep_call_log` or a log is off."""
    if None in _LOGS:
        yield
        return
    log = CallLog(records.parent / CALLS_FOLDER, records.name.removesuffix(RECORD_SUFFIX))
    with _open(log):
        try:
            yield
        finally:
            log.close()


@contextmanager
def _open(log: CallLog | None) -> Iterator[None]:
    _LOGS.append(log)
    try:
        yield
    finally:
        _LOGS.remove(log)


def is_logging() -> bool:
    """Whether a log is open."""
    return bool(_LOGS) and _LOGS[-1] is not None


def collect_log(is_wanted: bool) -> LogCollector:
    """Collect the logged calls of this process from now on, if they are wanted."""
    collector = LogCollector()
    _LOGS[:] = [collector if is_wanted else None]
    return collector


def write_logged(calls: Iterable[LoggedCall]) -> None:
    """Write calls of another process to the open log, if any."""
    if _LOGS and (log := _LOGS[-1]):
        for call in calls:
            _write(log, call)


def without_call_log(is_off: bool = True) -> Any:
    """Return a context in which no log is opened, whatever runs within it."""
    return _open(None) if is_off else nullcontext()


def log_start(call: Any, started: float) -> None:
    """Note in the open log that a call is under way."""
    if _LOGS and (log := _LOGS[-1]) and call.match:
        _write(log, LoggedCall(call.match, call.seat, call.number, started))


def log_call(call: Any, result: Any, started: float, seconds: float) -> None:
    """Write a call and what came of it to the open log, if any.

    Args:
        call: A `econzoo.baselines.models.Call`.
        result: Completion or error. Its ``raw``, if any, has the ``request``, the ``response`` and the failed
            ``attempts``.
        started: Seconds since 1970.
        seconds: Wall time until the reply or the error.
    """
    if not (_LOGS and (log := _LOGS[-1]) and call.match):
        return
    raw = dict(getattr(result, "raw", None) or {})
    request = raw.pop("request", None) or {
        "messages": list(call.conversation),
        **{name: value for name in ("schema", "seed", "limit") if (value := getattr(call, name)) is not None},
    }
    response, attempts, error = raw.pop("response", None), raw.pop("attempts", ()), ""
    if isinstance(result, Exception):
        error = f"{type(result).__name__}: {result}"
    elif response is None:
        left_out = ("raw", "seconds", "served")
        response = {name: value for name, value in vars(result).items() if value and name not in left_out}
    request = {**request, **raw} if isinstance(request, Mapping) else request
    place = call.match, call.seat, call.number, round(started, 3), round(seconds, 3)
    _write(log, LoggedCall(*place, request, response, error, tuple(attempts)))


def _write(log: CallLog, call: LoggedCall) -> None:
    # A full disk or an odd object costs the log, not the match that was paid for.
    with suppress(OSError, TypeError, ValueError, RecursionError):
        log.write(call)


def call_log_files(folder: Path) -> list[Path]:
    """Return the files of the call logs of a folder of records, oldest first."""
    return sorted((folder / CALLS_FOLDER).glob(f"*{LOG_SUFFIX}"), key=lambda path: path.name)


@check_arguments
def read_call_log(folder: Path, match: str = "") -> list[LoggedCall]:
    """Return the logged calls of a folder of records, by match, seat, number and time.

    A call that was made again, as after a failure, comes as often as it was made.

    Args:
        folder: Folder of the records.
        match: Id of the match whose calls are returned; empty: of all.

    Raises:
        ValueError: A file is forged: its calls grow without end when they are read.
    """
    calls = [call for path in call_log_files(folder) for call in read_call_file(path, match)]
    return sorted(calls, key=lambda one: (one.match, one.seat, one.number, one.started))


def read_call_file(path: Path, match: str = "") -> list[LoggedCall]:
    """Return the calls of a file, perhaps still written, in the order in which they ended; then those under way."""
    parts: list[Any] = []
    ended: list[LoggedCall] = []
    under_way: dict[tuple[str, int, int], LoggedCall] = {}
    decoder, size = _Decoder(parts), 0
    for number, line in read_lines(path):
        # The last line of a killed run may be incomplete.
        try:
            given = parse_json(line)
            if new := given.pop("parts", ()):
                parts += new
                size += len(line)
            if size > ARCHIVE_BYTES:
                raise ForgedLogError(f"more than {ARCHIVE_BYTES:,} bytes of texts")
            if match and given["match"] != match:
                continue
            decoder.left = decoder.left if match else MAX_DECODED
            call = _check_call(LoggedCall(**{name: decoder.decode(value) for name, value in given.items()}))
        except ForgedLogError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            continue
        else:
            key = call[:3]
            if call.is_open:
                under_way[key] = call
            else:
                under_way.pop(key, None)
                ended.append(call)
    return [*ended, *under_way.values()]


def _check_call(call: LoggedCall) -> LoggedCall:
    """Return a call; raise `ValueError` for one that no run has written."""
    times = [one for one in (call.started, call.seconds) if one is not None]
    counts_fit = isinstance(call.match, str) and all(type(one) is int and one >= 0 for one in (call.seat, call.number))
    texts_fit = isinstance(call.error, str) and isinstance(call.attempts, list | tuple)
    if not (counts_fit and texts_fit and all(0 <= one < MAX_CALL_TIME for one in times)):
        raise ValueError("not a call")
    return call


class _Decoder:
    """Puts parts in the place of their numbers.

    Attributes:
        left: Characters until the calls are too large.
    """

    def __init__(self, parts: Sequence[Any]) -> None:
        self._parts, self.left = parts, MAX_DECODED

    def decode(self, value: Any, depth: int = 0) -> Any:
        self.left -= NODE_COST + (len(value) if isinstance(value, str) else 0)
        if self.left < 0 or depth > MAX_NESTING:
            limits = f"{MAX_NESTING} levels, {MAX_DECODED:,} characters"
            raise ForgedLogError(f"the call grows without end: expected at most {limits}")
        if isinstance(value, list):
            return [self.decode(one, depth + 1) for one in value]
        if not isinstance(value, dict):
            return value
        if value.keys() == {_PART}:
            return self.decode(self._parts[value[_PART]], depth + 1)
        if value.keys() == {_TEXT}:
            return _PARAGRAPH.join(str(self.decode(one, depth + 1)) for one in value[_TEXT])
        pairs: Iterable[Any] = value[_DICT] if value.keys() == {_DICT} else value.items()
        return {name: self.decode(one, depth + 1) for name, one in pairs}


class LogFollower:
    """Reads a growing file of a log, without its requests and responses."""

    def __init__(self, path: Path) -> None:
        self.path, self._offset, self._rest = path, 0, b""
        self._unpack = zlib.decompressobj(wbits=31)
        self._open: dict[tuple[str, int, int], LoggedCall] = {}

    def read(self) -> list[LoggedCall]:
        """Return the calls that have ended since the last look."""
        with suppress(OSError, ValueError), open_file(self.path) as file:
            file.seek(self._offset)
            packed = file.read()
            self._offset += len(packed)
            calls: list[LoggedCall] = []
            # In blocks, since a forged file may hold a thousand times its size.
            while text := self._unpack.decompress(packed, BLOCK):
                packed = self._unpack.unconsumed_tail
                calls += self._calls(text)
            return calls
        return []

    def _calls(self, text: bytes) -> Iterator[LoggedCall]:
        *lines, self._rest = (self._rest + text).split(b"\n")
        if len(self._rest) > LARGE_FILE_BYTES:
            self._rest = b""  # what is left of the line is no call
        for line in lines:
            with suppress(ValueError, KeyError, TypeError, AttributeError):
                given = parse_json(line)
                plain = {name: given[name] for name in LoggedCall._fields if name in given}
                call = _check_call(LoggedCall(**{**plain, "request": None, "response": None}))
                if call.is_open:
                    self._open[call[:3]] = call
                else:
                    self._open.pop(call[:3], None)
                    yield call

    def open_calls(self) -> list[LoggedCall]:
        """Return the calls under way; none if the process that writes the file has ended."""
        if self._unpack.eof or not self._open or not _is_written(self.path):
            return []
        return list(self._open.values())


def _lock(handle: int, for_writing: bool) -> bool:
    """Lock a file until it is closed; False if another has it, or if this system has no such locks."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX if for_writing else fcntl.LOCK_SH | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _is_written(path: Path) -> bool:
    """Whether a process has the file open for writing, which a kill ends too."""
    if os.name == "nt":  # without locks nobody can tell
        return False
    with suppress(OSError), open_file(path) as file:
        return not _lock(file.fileno(), for_writing=False)
    return False
