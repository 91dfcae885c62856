"""Merging of records into one file: shards of a run, and compression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated

from econzoo.baselines import SUFFIX
from econzoo.envs.core import ARCHIVE_BYTES, atomic_write, escape_name, format_count, read_bytes, write_file
from econzoo.envs.core import write_files
from econzoo.envs.core.contract import Flag, Option
from econzoo.envs.core.record import Record, compress, distinct_provenance, is_compressed, is_record_file, read_lines
from econzoo.evaluate.formats.conversions import ConversionResult
from econzoo.evaluate.run import FAILED, MANIFEST, DuplicateRecords, EnvPool, read_design, read_failed_tries
from econzoo.evaluate.run import read_provenance, record_files, replay_error

TORN = ".torn"
"""Suffix of the file of lines that are set aside, after the name of the record file."""

Repair = Annotated[
    bool, Option(Flag(), f"Replay all matches, and write lines that do not replay to OUT{TORN}.", panel="Records")
]


def merge(source: str | Path | Sequence[str | Path], out: str | Path, repair: Repair = False) -> ConversionResult:
    """Merge records into one file, one per match, with unchanged lines in source order.

    Shards of one design become an unsharded run, with a manifest if the file is called ``records*``; matches that
    failed and were never completed stay recorded as failed.

    Args:
        repair: Whether lines that do not replay are set aside, so that a run resumes from the file.
    """
    places = [source] if isinstance(source, str | Path) else list(source)
    paths = [path for place in places for path in record_files(place)]
    target = Path(out) if is_record_file(Path(out)) else Path(out) / "records.jsonl"
    manifest = _manifest({path.parent for path in paths}) if target.name.startswith("records") else b""
    if target.exists() or (manifest and (target.parent / MANIFEST).exists()):
        raise ValueError(f"{target} exists, or its manifest does: choose a new file or folder")
    merging = _RecordMerger(paths, repair)
    with atomic_write(target) as half:
        with half.open("wb") as file:
            file.writelines(compress(merging.lines()) if is_compressed(target) else merging.lines())
        # Ahead of the end of the context, which gives the records their name: they never appear without these.
        failed = b"".join(merging.failed_lines())
        more = {target.with_name(target.name + FAILED): failed, target.parent / MANIFEST: manifest}
        more[target.with_name(target.name + TORN)] = b"".join(merging.set_aside)
        write_files({path: content for path, content in more.items() if content})
        if repair and (calls := b"".join(map(_finished_calls, paths))):
            write_file(target.with_name(target.name + SUFFIX), calls, mode=0o600)
    repeated, unlike = merging.duplicates.counts.total(), merging.duplicates.conflicting.total()
    lines = [f"{target}: {format_count(len(merging.ids), 'match')} of {format_count(len(paths), 'file')}"]
    lines += [f"skipped {format_count(repeated, 'duplicate record')}"] * bool(repeated)
    left_out = [*merging.omissions, *([format_count(unlike, "conflicting duplicate")] if unlike else [])]
    data = {"file": str(target), "matches": len(merging.ids), "files": len(paths), "left_out": len(left_out)}
    return ConversionResult(lines, data, repair or not left_out, left_out)


def _finished_calls(path: Path) -> bytes:
    """Calls of matches that have not ended, which the resumed run then does not pay again."""
    journal = path.with_name(path.name + SUFFIX)
    return read_bytes(journal, ARCHIVE_BYTES) if journal.is_file() else b""


class _RecordMerger:
    """Iterates over files of records and collects duplicates and omissions."""

    def __init__(self, paths: Sequence[Path], repair: bool) -> None:
        self._paths, self._pool = paths, EnvPool() if repair else None
        self.ids: dict[str, tuple[Path, int]] = {}
        self.duplicates, self.omissions = DuplicateRecords(), list[str]()
        self.set_aside: list[bytes] = []

    def lines(self) -> Iterator[bytes]:
        """Yield the first record line of every match."""
        for path in self._paths:
            for number, line in read_lines(path):
                try:
                    record = Record.from_json(line.decode())
                    why = None if self._pool is None else replay_error(record, self._pool)
                except ValueError as error:
                    why = str(error)
                if why is not None:
                    told = "left out" if self._pool is None else "set aside"
                    self.omissions.append(f"{told}: {escape_name(path)}, line {number}: {why}")
                    if self._pool is not None:
                        self.set_aside.append(line.rstrip(b"\r\n") + b"\n")
                    continue
                if record.id in self.ids:
                    self.duplicates.add(self._first_record(record.id), record)
                    continue
                self.ids[record.id] = path, number
                yield line.rstrip(b"\r\n") + b"\n"

    def _first_record(self, match: str) -> Record:
        path, wanted = self.ids[match]  # read again, as the records of all matches may not fit into memory
        return next(Record.from_json(line.decode()) for number, line in read_lines(path) if number == wanted)

    def failed_lines(self) -> Iterator[bytes]:
        """Yield all tries of matches that failed and were never completed."""
        tries = chain.from_iterable(read_failed_tries(path).items() for path in self._paths)
        for match, records in tries:
            if match not in self.ids:
                yield from (record.to_json().encode() + b"\n" for _, record in records)


def _manifest(folders: set[Path]) -> bytes:
    """Common manifest of shards; empty if their designs differ or one is missing."""
    designs = {place: read_design(place) for place in sorted(folders)}
    design = next(iter(designs.values()))
    if design is None or any(one != design for one in designs.values()):
        return b""
    provenance = distinct_provenance(one for place in designs for one in read_provenance(place))
    return design.to_json(provenance).encode()
