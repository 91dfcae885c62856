"""Folders of records: ``manifest.json`` and append-only or compressed files ``records*.jsonl``."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from econzoo.envs.core import LARGE_FILE_BYTES, add_path_to_errors, append, escape_name, format_count, format_times
from econzoo.envs.core import read_text
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import check_path, parse_json
from econzoo.envs.core.record import Provenance, Record, RecordFile, check_appendable, label_players, read_lines
from econzoo.envs.core.record import record_paths
from econzoo.evaluate.run.disk_records import RecordStore

MAX_IN_MEMORY = 100_000
"""Turns of a folder's records, each record one more, that stay in memory, about a kilobyte each: small folders are read
once."""

T = TypeVar("T")


class UnreadableLine(NamedTuple):
    """A line that is not a valid record.

    Attributes:
        line: Line number, 1-based.
        record: The match, if the line has one that should count: it failed, or does not replay.
    """

    path: Path
    line: int
    reason: str
    record: Record | None = None

    def __str__(self) -> str:
        return f"{escape_name(self.path)}, line {self.line}: {self.reason}"


class FailedMatch(UnreadableLine):
    """A match that failed and has not finished since."""


def describe_unreadable(lines: Sequence[UnreadableLine]) -> list[str]:
    """Return the number of failed matches and of invalid lines as sentences."""
    failed = sum(isinstance(line, FailedMatch) for line in lines)
    rest = len(lines) - failed
    sentences = (
        [f"{format_count(failed, 'match')} failed and {'is' if failed == 1 else 'are'} ignored."] if failed else []
    )
    if rest:
        sentences.append(f"{format_count(rest, 'line')} could not be read and {'is' if rest == 1 else 'are'} ignored.")
    return sentences


CURVE = "learning_curve.csv"
"""Learning curve beside the checkpoints of a training."""

MANIFEST = "manifest.json"
"""File with the design of a tournament, beside its records."""

FAILED = ".failed"
"""Suffix of the file of failed matches, after the name of the record file."""


def read_provenance(folder: str | Path) -> list[Provenance]:
    """Return the commands that wrote a folder, in order; empty if unrecorded or unreadable."""
    path = check_path("folder", folder) / MANIFEST
    try:
        found = parse_json(read_text(path, LARGE_FILE_BYTES))["provenance"]
        return [Provenance(**{**one, "libraries": dict(one.get("libraries", {}))}) for one in found]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


class RunStart(NamedTuple):
    """State of a folder when the last playing command started.

    Attributes:
        at: Seconds since 1970.
        sizes: Name of each record file to its size in bytes.
    """

    at: float
    sizes: dict[str, int]


def start_run_now(folder: str | Path) -> RunStart:
    """Return the present state of a folder."""
    return RunStart(round(time.time(), 3), {path.name: path.stat().st_size for path in record_paths(Path(folder))})


def read_run_start(folder: str | Path) -> RunStart | None:
    """Return the state at the start of the last command; None if unrecorded."""
    try:
        given = parse_json(read_text(Path(folder) / MANIFEST, LARGE_FILE_BYTES))["run_start"]
        return RunStart(float(given["at"]), {str(name): int(size) for name, size in given["sizes"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def read_failed_tries(path: Path) -> dict[str, list[tuple[int, Record]]]:
    """Return failed matches by id: every try, with its line number in the file of failures."""
    file = path.with_name(path.name + FAILED)
    tries: dict[str, list[tuple[int, Record]]] = {}
    for number, line in read_lines(file) if file.exists() else ():
        with suppress(ValueError):  # truncated by a kill
            record = Record.from_json(line.decode())
            tries.setdefault(record.id, []).append((number, record))
    return tries


def _failed_match(path: Path, tries: Sequence[tuple[int, Record]]) -> FailedMatch:
    line, last = tries[-1]
    return FailedMatch(
        path.with_name(path.name + FAILED), line, f"the match failed {format_times(len(tries))}: {last.reason}", last
    )


def record_files(folder: str | Path) -> list[Path]:
    """Return the record files in a folder and those named ``records*`` below it; the path itself if it is a file."""
    path = check_path("folder", folder)
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    if not path.is_dir():
        return [path]
    found = {*record_paths(path), *record_paths(path, "records", recursive=True)}
    if not found:
        raise FileNotFoundError(f"no records (*.jsonl, *.jsonl.gz) in {path}")
    return sorted(found)


def check_output_folder(folder: str | Path, name: str = "--out") -> None:
    """Check an output folder, which need not exist."""
    path, expected = check_path(name, folder), "expected a folder, created if it does not exist"
    for place in (path, *path.parents):
        if place.is_dir():
            return
        if place.exists():
            raise ValueError(f"invalid {name} {path}: {place} is a file; {expected}")


@dataclass
class DuplicateRecords:
    """Records left out because a preceding one has the same id, by game; conflicting ones differ from it."""

    counts: Counter[str] = field(default_factory=Counter)
    conflicting: Counter[str] = field(default_factory=Counter)

    def add(self, first: Record, other: Record) -> None:
        self.counts[other.game] += 1
        self.conflicting[other.game] += _match_outcome(first) != _match_outcome(other)


def _match_outcome(record: Record) -> tuple[Any, ...]:
    """Return the content in which records of the same match agree, whoever wrote them."""
    moves = record.left_out or [(turn.seat, turn.round, turn.action) for turn in record.turns]
    same = record.game, record.params, record.players, record.chance, record.payoffs, record.metrics, record.status
    return (*same, record.forfeit, moves)


def read_folder(
    folder: str | Path,
    reject_reason: Callable[[Record], str | None] = lambda record: None,
    duplicates: DuplicateRecords | None = None,
) -> tuple[list[Record], list[UnreadableLine]]:
    """Read all records of a folder, one per match, and the invalid lines.

    The first record of a match counts. A paused match counts as an invalid line, and so does one that failed and has
    not finished since (`FailedMatch`). Players are labelled over all records (`Record.labels`), with the names of
    its design. Only the first records of a large folder stay in memory (`econzoo.evaluate.run.disk_records`).

    Args:
        reject_reason: Returns why a record is invalid, or None.
    """
    records: dict[str, Record] = {}
    bad: list[UnreadableLine] = []
    shelf, room = RecordStore(), MAX_IN_MEMORY
    for path in record_files(folder):
        for number, line in read_lines(path):
            try:
                record = Record.from_json(line.decode())
            except ValueError as error:
                bad.append(UnreadableLine(path, number, str(error)))
                continue
            if why := reject_reason(record) or _unfinished_reason(record):
                # A paused match is not lost, as it can still be resumed.
                bad.append(UnreadableLine(path, number, why, None if record.status == "paused" else record))
            elif record.id not in records:
                room -= 1 + len(record.turns)
                # Records whose turns are left out are stored too, since those in the store make them again.
                records[record.id] = shelf.add(record) if room < 0 or record.left_out else record
            elif duplicates is not None:
                duplicates.add(records[record.id], record)
    for path in record_files(folder):
        bad += [_failed_match(path, tries) for match, tries in read_failed_tries(path).items() if match not in records]
    found = list(records.values())
    # Lost matches and the design's own specs too, so that a player has the same label in every table of the folder.
    label_players([*found, *lost_matches(found, bad)], _design_specs({path.parent for path in record_files(folder)}))
    return found, bad


def lost_matches(records: Iterable[Record], unreadable: Iterable[UnreadableLine]) -> list[Record]:
    """Return the matches that were played but have no valid record: they failed, or do not replay; each once."""
    found = {line.record.id: line.record for line in unreadable if line.record and _is_identified(line.record)}
    for record in records if found else ():
        found.pop(record.id, None)
    return list(found.values())


def _is_identified(record: Record) -> bool:
    """Whether game, setting, players and seed of a record can be trusted, whatever else it says."""
    with suppress(ValueError, TypeError):
        game = find_game(record.game)
        # The id is a hash of all four, so that a modified one does not match.
        return record.match_id() == record.id and len(record.players) == game.seats(game.params(**record.params)[1])
    return False


def _design_specs(folders: Iterable[Path]) -> Iterator[str]:
    """Yield the specs in the designs of folders that can be read."""
    for folder in sorted(folders):
        # A manifest that cannot be read costs the names that it gives to players, not the records.
        with suppress(OSError, ValueError, KeyError, TypeError):
            given = parse_json(read_text(folder / MANIFEST, LARGE_FILE_BYTES))
            yield from (spec for spec in [*given["players"], *given["opponents"]] if isinstance(spec, str))


def _unfinished_reason(record: Record) -> str | None:
    if record.status == "failed":
        return f"the match failed: {record.reason}"
    return "the match is paused; to resume it: econzoo play --resume FILE" if record.status == "paused" else None


def read_latest(path: Path, read: Callable[[Any], T], *key: str) -> list[T]:
    """Read a file of JSON lines; of several with equal attributes `key` the last counts."""
    last: dict[Any, T] = {}
    for number, line in read_lines(path):
        try:
            given = parse_json(line.decode())
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: not a JSON line ({error})") from None
        try:
            one = read(given)
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: {error}") from None
        # Removed first, so that the order is that of the lines that count.
        last.pop(attrgetter(*key)(one), None)
        last[attrgetter(*key)(one)] = one
    return list(last.values())


def recorded_ids(folder: str | Path) -> set[str]:
    """Return ids of the matches in a folder; unreadable lines are skipped."""
    found = (read_line_id(line) for _, _, line in recorded_lines(folder))
    return {id for id in found if id is not None}


_ID = re.compile(rb'"id":"([0-9a-f]{16})"')


def find_line_id(line: bytes, known: Collection[str]) -> str | None:
    """Return `read_line_id`, much faster for known ids."""
    if line.rstrip().endswith(b"}"):  # not truncated
        # Parts of a record, such as its source, may have an id too.
        for found in _ID.findall(line):
            if (id := found.decode()) in known:
                return id
    return read_line_id(line)


def read_line_id(line: bytes) -> str | None:
    """Return the id of a line's match, or None if it cannot be read."""
    try:
        return str(parse_json(line)["id"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def recorded_lines(folder: str | Path) -> Iterator[tuple[Path, int, bytes]]:
    """Yield the lines of all record files in a folder, with file and line number."""
    for path in record_paths(check_path("folder", folder)):
        for number, line in read_lines(path):
            yield path, number, line


class Writer:
    """Appends to a record file under an exclusive lock."""

    def __init__(self, path: Path) -> None:
        check_appendable(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path, self._handle = path, os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        if not _try_lock(self._handle):
            os.close(self._handle)
            raise ValueError(f"{path}: another process is writing to it")
        # Moves a truncated last line out of the file. Without the lock it could be one that another process is writing.
        RecordFile(path)

    def append(self, lines: Sequence[str]) -> None:
        with add_path_to_errors(self._path):
            append(self._handle, "".join(line + "\n" for line in lines).encode())

    def close(self) -> None:
        """Release the lock."""
        os.close(self._handle)


def _try_lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # not on Windows
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def open_writer(path: Path) -> AbstractContextManager[Writer]:
    """Return a `Writer` that closes at the end of the context."""
    return closing(Writer(path))
