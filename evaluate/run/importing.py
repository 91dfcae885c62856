"""Importing published matches into a record file, each once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from econzoo.envs.core import escape_name
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.run.folder import check_output_folder, open_writer
from econzoo.evaluate.run.progress import progress_bar

Place = TypeVar("Place")


class NotImportableError(ValueError):
    """A match that cannot be imported; `kind` is a short category, for counting."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


@contextmanager
def convert_rule_errors() -> Iterator[None]:
    """Convert errors of the rules to `NotImportableError`."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise NotImportableError("outside our rules", str(error)) from None


def seed_of(source: str, name: str) -> int:
    """Return the seed of an imported match, which only distinguishes matches with the same setting and players.

    Args:
        source: Name of the source, as in the record's ``source["format"]``.
    """
    # 63 bits, as seeds are below 2**63; a function of the name, so that a second import gives the same ids.
    return int.from_bytes(hashlib.sha256(f"{source}/{name}".encode()).digest()[:8]) >> 1


class KnownMatches:
    """The matches of one source in a record file.

    Args:
        source: The ``source["format"]`` of its records.
    """

    def __init__(self, path: Path, source: str) -> None:
        found = [(record.source or {}, record.id) for record in read_record_file(path)]
        self._ids = {given["id"]: match for given, match in found if given.get("format") == source}

    def add(self, record: Record) -> bool:
        """Add a match, and return whether it is new."""
        assert record.source is not None
        known_id = self._ids.setdefault(record.source["id"], "")
        if known_id not in ("", record.id):
            reason = f"the file has a different match with the id {record.source['id']}"
            raise NotImportableError("duplicate id", reason)
        self._ids[record.source["id"]] = record.id
        return not known_id


@dataclass
class ImportReport:
    """Results of an import; skipped matches as place, category and reason."""

    added: int = 0
    known: int = 0
    skipped: list[tuple[str, str, str]] = field(default_factory=list)

    def skipped_lines(self) -> list[str]:
        """Return a line per skipped match."""
        return [f"{place}: skipped, {kind}: {why}" for place, kind, why in self.skipped]

    def describe_counts(self) -> str:
        reasons = Counter(kind for _, kind, _ in self.skipped)
        details = f" ({', '.join(f'{kind}: {count}' for kind, count in reasons.items())})" if reasons else ""
        return f"{self.added} imported, {self.known} already in the file, {len(self.skipped)} skipped{details}"

    def add(
        self,
        places: Sequence[Place],
        read: Callable[[Place], Record],
        out: Path,
        source: str,
        on_new: Callable[[Place], None] = lambda place: None,
    ) -> None:
        """Add matches to a record file, each once; `on_new` is called for each that the file did not have."""
        if out.is_dir():
            raise ValueError(f"invalid out={out}, a folder: expected a record file, such as {out / f'{source}.jsonl'}")
        check_output_folder(out.parent, "out")
        with open_writer(out) as file, progress_bar("games", len(places)) as advance:
            # Read under the lock of the writer, so that no other import adds the same match meanwhile.
            known = KnownMatches(out, source)
            for place in places:
                advance(1)
                try:
                    record = read(place)
                    fresh = known.add(record)
                except NotImportableError as error:
                    self.skipped.append((escape_name(place), error.kind, str(error)))
                    continue
                self.added += fresh
                self.known += not fresh
                if fresh:
                    on_new(place)
                    file.append([record.to_json()])
