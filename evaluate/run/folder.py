"""A folder of records: ``manifest.json`` and files ``records*.jsonl`` that are only appended to, or compressed."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from econzoo.envs.core.contract.validation import check_path, parse_json
from econzoo.envs.core.files import LARGE_FILE_BYTES, escape_name, read_text
from econzoo.envs.core.plurals import format_count, format_times
from econzoo.envs.core.record.lines import read_lines, record_paths
from econzoo.envs.core.record.player_labels import label_players
from econzoo.envs.core.record.provenance import Provenance
from econzoo.envs.core.record.record import Record, current_id
from econzoo.evaluate.run.disk_records import MAX_IN_MEMORY, RecordStore

T = TypeVar("T")


class UnreadableLine(NamedTuple):
    """A line that is no record.

    Attributes:
        path: The file.
        line: 1-based.
        reason: One sentence.
    """

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{escape_name(self.path)}, line {self.line}: {self.reason}"


class FailedMatch(UnreadableLine):
    """A match that failed, and has not ended since."""


def describe_unreadable(lines: Sequence[UnreadableLine]) -> list[str]:
    """How many matches failed, and how many lines were no record."""
    failed = sum(isinstance(line, FailedMatch) for line in lines)
    rest = len(lines) - failed
    said = (
        [f"{format_count(failed, 'match')} failed and {'counts' if failed == 1 else 'count'} for nothing."]
        if failed
        else []
    )
    return [*said, f"{format_count(rest, 'line')} could not be read and count for nothing."] if rest else said


CURVE = "learning_curve.csv"
"""A learning curve, which training writes beside its checkpoints."""

MANIFEST = "manifest.json"
"""The file with the design of a tournament, beside its records."""

FAILED = ".failed"
"""What follows the name of a file of records, in the name of the file with the matches that failed."""


def read_provenance(folder: str | Path) -> list[Provenance]:
    """What has made a folder, one command after the other; nothing where that was not recorded or cannot be read."""
    path = check_path("folder", folder) / MANIFEST
    try:
        return [Provenance(**one) for one in parse_json(read_text(path, LARGE_FILE_BYTES)).get("made", ())]
    except (OSError, ValueError, TypeError, AttributeError):
        return []


class RunStart(NamedTuple):
    """Where a folder was when the command began that plays, or was the last to play, what is missing.

    Attributes:
        at: Seconds since 1970.
        sizes: Name of each file of records that was there, to its bytes.
    """

    at: float
    sizes: dict[str, int]


def start_run_now(folder: str | Path) -> RunStart:
    """A command begins."""
    return RunStart(round(time.time(), 3), {path.name: path.stat().st_size for path in record_paths(Path(folder))})


def read_run_start(folder: str | Path) -> RunStart | None:
    """When the last command began, and with what; None where that was not recorded."""
    try:
        given = parse_json(read_text(Path(folder) / MANIFEST, LARGE_FILE_BYTES))["begun"]
        return RunStart(float(given["at"]), {str(name): int(size) for name, size in given["sizes"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def read_failed_tries(path: Path) -> dict[str, list[tuple[int, Record]]]:
    """The matches that failed while a file of records was made: id to every try, with the number of its line."""
    file = path.with_name(path.name + FAILED)
    tries: dict[str, list[tuple[int, Record]]] = {}
    for number, line in read_lines(file) if file.exists() else ():
        with suppress(ValueError):  # torn by a kill
            record = Record.from_json(line.decode())
            tries.setdefault(record.id, []).append((number, record))
    return tries


def _failed_match(path: Path, tries: Sequence[tuple[int, Record]]) -> FailedMatch:
    line, last = tries[-1]
    return FailedMatch(
        path.with_name(path.name + FAILED), line, f"the match failed {format_times(len(tries))}: {last.reason}"
    )


def record_files(folder: str | Path) -> list[Path]:
    """The files of records in a folder and those named ``records*`` below it; the path itself if it is none.

    Raises:
        FileNotFoundError: No such file or folder, or a folder without records.
    """
    path = check_path("folder", folder)
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    if not path.is_dir():
        return [path]
    found = {*record_paths(path), *record_paths(path, "records", recursive=True)}
    if not found:
        raise FileNotFoundError(f"no records (*.jsonl, *.jsonl.gz) in {path}")
    return sorted(found)


def check_output_folder(path: Path | None, option: str = "--out") -> Path | None:
    """A folder that a user names, which need not exist yet.

    Raises:
        ValueError: It is something else.
    """
    if path is not None and path.exists() and not path.is_dir():
        raise ValueError(f"{option} {path} is a file; allowed: a folder, which is made if there is none")
    return path


@dataclass
class DuplicateRecords:
    """Records that were left out because an earlier one has the same id.

    Attributes:
        counts: Game to how many.
        conflicting: Game to how many of these say that something else happened than the first one says.
    """

    counts: Counter[str] = field(default_factory=Counter)
    conflicting: Counter[str] = field(default_factory=Counter)

    def add(self, first: Record, other: Record) -> None:
        """One more that is left out."""
        self.counts[other.game] += 1
        self.conflicting[other.game] += _match_outcome(first) != _match_outcome(other)


def _match_outcome(record: Record) -> tuple[Any, ...]:
    """What two records of one match agree in, whoever wrote them and however long it took."""
    moves = [(turn.seat, turn.round, turn.action) for turn in record.turns]
    same = record.game, record.params, record.players, record.chance, record.payoffs, record.metrics, record.status
    return (*same, record.forfeit, moves)


def read_folder(
    folder: str | Path,
    reject_reason: Callable[[Record], str | None] = lambda record: None,
    duplicates: DuplicateRecords | None = None,
) -> tuple[list[Record], list[UnreadableLine]]:
    """All records of a folder, one for each match, and the lines that are none.

    Of several records of one match the first counts. A match that is paused counts as a line that is no record, and so
    does one that failed and has not ended since (`FailedMatch`), whose line is in a file of its own. Players have the
    labels
    of all records together (`Record.labels`), with the names that a design beside them gives. Of a large folder only
    the first ones are kept whole (see `econzoo.evaluate.run.disk_records`).

    Args:
        folder: See `record_files`.
        reject_reason: Says why a record cannot be used, or None; such a record counts as a line that is none.
        duplicates: Told of every record that is left out because its match is there already.
    """
    records: dict[str, Record] = {}
    bad: list[UnreadableLine] = []
    shelf = RecordStore()
    for path in record_files(folder):
        for number, line in read_lines(path):
            try:
                record = Record.from_json(line.decode())
            except ValueError as error:
                bad.append(UnreadableLine(path, number, str(error)))
                continue
            if why := reject_reason(record) or _unfinished_reason(record):
                bad.append(UnreadableLine(path, number, why))
            elif record.id not in records:
                records[record.id] = shelf.add(record) if len(records) >= MAX_IN_MEMORY else record
            elif duplicates is not None:
                duplicates.add(records[record.id], record)
    for path in record_files(folder):
        bad += [_failed_match(path, tries) for match, tries in read_failed_tries(path).items() if match not in records]
    label_players(list(records.values()), _design_specs({path.parent for path in record_files(folder)}))
    return list(records.values()), bad


def _design_specs(folders: Iterable[Path]) -> Iterator[str]:
    """The specs in the designs of folders, as far as these can be read."""
    for folder in sorted(folders):
        with suppress(OSError, ValueError, KeyError, TypeError):
            given = parse_json(read_text(folder / MANIFEST, LARGE_FILE_BYTES))
            yield from (spec for spec in [*given["players"], *given["opponents"]] if isinstance(spec, str))


def _unfinished_reason(record: Record) -> str | None:
    if record.status == "failed":
        return f"the match failed: {record.reason}"
    return "the match is paused; to play it on: econzoo play --resume FILE" if record.status == "paused" else None


def read_latest(path: Path, read: Callable[[Any], T], *key: str) -> list[T]:
    """What stands in a file of JSON lines; of several with the same attributes `key` the last counts.

    Raises:
        ValueError: A line is no JSON, or `read` refuses it; the message names file and line.
        FileNotFoundError: No such file.
    """
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
        last.pop(attrgetter(*key)(one), None)
        last[attrgetter(*key)(one)] = one
    return list(last.values())


def recorded_ids(folder: str | Path) -> set[str]:
    """Ids of the matches in a folder; lines that cannot be read count for nothing."""
    found = (read_line_id(line) for _, _, line in recorded_lines(folder))
    return {id for id in found if id is not None}


_ID = re.compile(rb'"id":"([0-9a-f]{16})"')


def find_line_id(line: bytes, known: Collection[str]) -> str | None:
    """As `read_line_id`, but many times faster where it is one of those that are known."""
    if line.rstrip().endswith(b"}"):  # not torn
        for found in _ID.findall(line):
            if (id := found.decode()) in known:
                return id
    return read_line_id(line)


def read_line_id(line: bytes) -> str | None:
    """The id of the match in a line, or None if it cannot be read."""
    try:
        return str(current_id(parse_json(line)))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def recorded_lines(folder: str | Path) -> Iterator[tuple[Path, int, bytes]]:
    """The lines of all files of records in a folder, each with its file and number."""
    for path in record_paths(check_path("folder", folder)):
        for number, line in read_lines(path):
            yield path, number, line
