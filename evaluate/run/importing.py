"""Games that were played elsewhere, taken over into a file of records, each once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from econzoo.envs.core.files import escape_name
from econzoo.envs.core.record.record import Record, read_record_file
from econzoo.evaluate.run.progress import progress_bar
from econzoo.evaluate.run.writer import check_folder, open_writer

Place = TypeVar("Place")


class NotImportableError(ValueError):
    """A game that cannot be taken over.

    Attributes:
        kind: A few words, for counting.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@contextmanager
def convert_rule_errors() -> Iterator[None]:
    """Raises `NotImportableError` for what our rules refuse inside."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise NotImportableError("outside our rules", str(error)) from None


def seed_of(source: str, name: str) -> int:
    """The seed of an imported match: it draws nothing, but tells matches of one market and the same players apart.

    Args:
        source: Where it comes from, as in the record's ``source["format"]``.
        name: What it is called there.
    """
    return int.from_bytes(hashlib.sha256(f"{source}/{name}".encode()).digest()[:8]) >> 1


class KnownMatches:
    """The matches of one source in a file of records.

    Args:
        path: The file.
        source: The ``source["format"]`` of its records.

    Raises:
        ValueError: The file holds something else than records.
    """

    def __init__(self, path: Path, source: str) -> None:
        found = [(record.source or {}, record.id) for record in read_record_file(path)]
        self._ids = {given["id"]: match for given, match in found if given.get("format") == source}

    def add(self, record: Record) -> bool:
        """Whether a match is new; from now on it is known.

        Raises:
            UnusableError: There is another match of the same name.
        """
        assert record.source is not None
        there = self._ids.setdefault(record.source["id"], "")
        if there not in ("", record.id):
            told = f"the file has another game of the id {record.source['id']}"
            raise NotImportableError("another of the same id", told)
        self._ids[record.source["id"]] = record.id
        return not there


@dataclass
class ImportReport:
    """What became of published games.

    Attributes:
        added: Games that were added to the file.
        already: Games that the file had.
        skipped: (place, kind of reason, reason) of games that are no records.
    """

    added: int = 0
    already: int = 0
    skipped: list[tuple[str, str, str]] = field(default_factory=list)

    def skipped_lines(self) -> list[str]:
        """What was skipped and why, for people."""
        return [f"{place}: skipped, {kind}: {why}" for place, kind, why in self.skipped]

    def describe_counts(self) -> str:
        """How many games, for people."""
        reasons = Counter(kind for _, kind, _ in self.skipped)
        told = f" ({', '.join(f'{kind}: {count}' for kind, count in reasons.items())})" if reasons else ""
        return f"{self.added} imported, {self.already} already there, {len(self.skipped)} skipped{told}"

    def add(
        self,
        places: Sequence[Place],
        read: Callable[[Place], Record],
        out: Path,
        source: str,
        on_new: Callable[[Place], None] = lambda place: None,
    ) -> None:
        """Adds games to a file of records, each once.

        Args:
            places: Files or folders, one a game, on the disk or in an archive.
            read: The record of one; raises `NotImportableError`.
            out: The file; what is in it stays.
            source: See `KnownMatches`.
            on_new: Told of each game that the file did not have, just after it was read.

        Raises:
            ValueError: The file holds something else than records, or is a folder.
        """
        if out.is_dir():
            raise ValueError(f"{out} is a folder; wanted: a file of records, such as {out / f'{source}.jsonl'}")
        check_folder(out.parent)
        with open_writer(out) as file, progress_bar("games", len(places)) as told:
            known = KnownMatches(out, source)
            for place in places:
                told(1)
                try:
                    record = read(place)
                    fresh = known.add(record)
                except NotImportableError as error:
                    self.skipped.append((escape_name(place), error.kind, str(error)))
                    continue
                self.added += fresh
                self.already += not fresh
                if fresh:
                    on_new(place)
                    file.append([record.to_json()])
