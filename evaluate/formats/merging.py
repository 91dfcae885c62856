"""Records of several places as one file: shards of a run put together, and files compressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from econzoo.envs.core.files import atomic_write, escape_name, write_files
from econzoo.envs.core.plurals import format_count
from econzoo.envs.core.record.lines import compress, is_compressed, is_record_file, read_lines
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.formats.conversions import ConversionResult
from econzoo.evaluate.run.design import read_design
from econzoo.evaluate.run.folder import (
    FAILED,
    MANIFEST,
    DuplicateRecords,
    read_failed_tries,
    read_provenance,
    record_files,
)


def merge(source: str | Path | Sequence[str | Path], out: str | Path) -> ConversionResult:
    """Puts records into one file, each match once and each line as it is, in the order of the places.

    Shards of one design become a run that nobody has split, with a manifest where the file is called ``records*``;
    matches that have failed in one and ended in none go on failing there.

    Args:
        source: Folder or file, or several, which must not contain `out`.
        out: A folder, which gets ``records.jsonl``, or a file, compressed if its name ends in ``.jsonl.gz``.

    Returns:
        Not complete if a line is no record, or two records of one match tell different things.

    Raises:
        ValueError: `out` is there already.
        FileNotFoundError: There are no records.
    """
    places = [source] if isinstance(source, str | Path) else list(source)
    paths = [path for place in places for path in record_files(place)]
    target = Path(out) if is_record_file(Path(out)) else Path(out) / "records.jsonl"
    manifest = _manifest({path.parent for path in paths}) if target.name.startswith("records") else b""
    if target.exists() or (manifest and (target.parent / MANIFEST).exists()):
        raise ValueError(f"{target} exists, or a manifest beside it; allowed: a new file or folder")
    merging = _RecordMerger(paths)
    with atomic_write(target) as half:
        with half.open("wb") as file:
            file.writelines(compress(merging.lines()) if is_compressed(target) else merging.lines())
        failed = b"".join(merging.failed_lines())
        more = {target.with_name(target.name + FAILED): failed, target.parent / MANIFEST: manifest}
        write_files({path: held for path, held in more.items() if held})
    unlike = merging.duplicates.conflicting.total()
    told = [f"{target}: {format_count(len(merging.ids), 'match')} of {format_count(len(paths), 'file')}"]
    told += [f"{format_count(merging.duplicates.counts.total(), 'record')} of matches that were there already"] * bool(
        merging.duplicates.counts.total()
    )
    left_out = [*merging.omissions, *([f"{format_count(unlike, 'record')} of them unlike the first"] if unlike else [])]
    data = {"file": str(target), "matches": len(merging.ids), "files": len(paths), "left_out": len(left_out)}
    return ConversionResult(told, data, not left_out, left_out)


class _RecordMerger:
    """Goes through files and keeps count.

    Args:
        paths: Of records.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self.ids: dict[str, tuple[Path, int]] = {}
        self.duplicates, self.omissions = DuplicateRecords(), list[str]()

    def lines(self) -> Iterator[bytes]:
        """The lines that are a record of a match that was not there before."""
        for path in self._paths:
            for number, line in read_lines(path):
                try:
                    record = Record.from_json(line.decode())
                except ValueError as error:
                    self.omissions.append(f"left out: {escape_name(path)}, line {number}: {error}")
                    continue
                if record.id in self.ids:
                    self.duplicates.add(self._first_record(record.id), record)
                    continue
                self.ids[record.id] = path, number
                yield line.rstrip(b"\r\n") + b"\n"

    def _first_record(self, match: str) -> Record:
        path, wanted = self.ids[match]
        return next(Record.from_json(line.decode()) for number, line in read_lines(path) if number == wanted)

    def failed_lines(self) -> Iterator[bytes]:
        """The lines of matches that have failed and ended nowhere, every try."""
        tries = chain.from_iterable(read_failed_tries(path).items() for path in self._paths)
        for match, records in tries:
            if match not in self.ids:
                yield from (record.to_json().encode() + b"\n" for _, record in records)


def _manifest(folders: set[Path]) -> bytes:
    """What stands beside shards of one design; nothing where they are of several, or one has none."""
    designs = {place: read_design(place) for place in sorted(folders)}
    design = next(iter(designs.values()))
    if design is None or any(one != design for one in designs.values()):
        return b""
    made = dict.fromkeys(one for place in designs for one in read_provenance(place))
    return design.to_json(made).encode()
