"""Tables and figures of a collection while it is played: made by a process of their own, now and then.

    python -m econzoo.people.manage.results RECORDS FILE

They are those of ``econzoo analyze``. The process keeps the libraries for them, and the work, out of the server.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.extras import need
from econzoo.envs.core.record.record import current_id
from econzoo.evaluate.run.failures import TRIES
from econzoo.evaluate.run.folder import failed_beside
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import TERMINAL, Column, write_interval, write_value

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.groups import Group
    from econzoo.evaluate.analyses.summary.summary import Summary

RECORDS = "records.jsonl"


class Counts(NamedTuple):
    """What has come.

    Attributes:
        ended: Matches.
        forfeited: Of them.
        left: Of them, those that somebody left.
        answers: In them.
        unusable: Of the answers.
        failed: Matches that have failed and not ended since.
        given_up: Of them, those that are not tried again.
    """

    ended: int = 0
    forfeited: int = 0
    left: int = 0
    answers: int = 0
    unusable: int = 0
    failed: int = 0
    given_up: int = 0


class Tally:
    """Counts the matches of a folder; what was read once is not read again.

    Args:
        folder: Of the records.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / RECORDS
        self._failed: tuple[int, dict[str, int]] = (0, {})
        self._lock = Lock()
        self._forget()

    def _forget(self) -> None:
        """Begins anew, as with a file that is another one than before."""
        self._at = self._forfeited = self._left = self._answers = self._unusable = 0
        self._ids: set[str] = set()

    def counts(self) -> Counts:
        """As the files are now."""
        with self._lock:
            self._read_on()
            tries = {id: count for id, count in self._tries().items() if id not in self._ids}
            given_up = sum(count >= TRIES for count in tries.values())
            told = self._forfeited, self._left, self._answers, self._unusable
            return Counts(len(self._ids), *told, len(tries), given_up)

    def _read_on(self) -> None:
        """Takes the whole lines that have come since the last time."""
        if size_of(self._path) < self._at:
            self._forget()
        if not self._path.is_file():
            return
        with self._path.open("rb") as file:
            file.seek(self._at)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self._at += len(line)
                self._take(line)

    def _take(self, line: bytes) -> None:
        """Counts a match; a line that cannot be read counts for nothing, and a match counts once."""
        try:
            given = from_json(line)
            id, turns = str(current_id(given)), given["turns"]
            unusable = sum(turn.get("error") is not None for turn in turns)
        except (ValueError, KeyError, TypeError, AttributeError):
            return
        if id not in self._ids:
            self._ids.add(id)
            self._forfeited += given.get("status") == "forfeited"
            self._left += given.get("status") == "abandoned"
            self._answers, self._unusable = self._answers + len(turns), self._unusable + unusable

    def _tries(self) -> dict[str, int]:
        """How often each match has failed."""
        size = size_of(self._path.with_name(f"{RECORDS}.failed"))
        if size != self._failed[0]:
            self._failed = size, {id: len(tries) for id, tries in failed_beside(self._path).items()}
        return self._failed[1]


def size_of(path: Path) -> int:
    """Bytes of a file; 0 if there is none."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def sizes(folder: Path) -> tuple[Any, ...]:
    """Changes whenever a file of a folder has grown."""
    return tuple(sorted((path.name, size_of(path)) for path in folder.glob("*.jsonl*")))


FILE = "results.json"

GROWN = 1.15
"""How many times the matches must have become before they are looked at anew while more come."""


class Results:
    """Has tables and figures made, one process at a time.

    Args:
        folder: Where they are kept.
        records: Of the matches.
    """

    def __init__(self, folder: Path, records: Path) -> None:
        self._file, self._records = folder / FILE, records
        self._process: subprocess.Popen[bytes] | None = None
        self._lock, self._tried = Lock(), 0

    def found(self) -> dict[str, Any]:
        """What there is: ``of`` (matches), ``sentences``, ``tables``, ``figures``, ``problem``."""
        nothing = {"of": 0, "sentences": [], "tables": [], "figures": [], "legend": "", "problem": ""}
        try:
            return nothing | from_json(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return nothing

    def look(self, ended: int, busy: bool) -> int:
        """Has them made anew if there is enough that is new; returns of how many matches there are some.

        Args:
            ended: Matches so far.
            busy: Whether more are being played.
        """
        of = int(self.found()["of"])
        with self._lock:
            under_way = self._process is not None and self._process.poll() is None
            enough = ended > GROWN * max(of, self._tried) if busy else ended > max(of, self._tried)
            if ended and enough and not under_way:
                self._tried = ended
                line = [
                    sys.executable,
                    "-m",
                    "econzoo.people.manage.results",
                    str(self._records),
                    str(self._file),
                ]
                quiet = subprocess.DEVNULL
                self._process = subprocess.Popen(line, stdin=quiet, stdout=quiet, stderr=quiet)
        return of


def make_results(records: Path) -> dict[str, Any]:
    """Tables and figures of a folder of records; what cannot be made is told."""
    try:
        need("tables and figures", "pandas", "scipy", "matplotlib", "jinja2")
        from econzoo.evaluate.analyses.summary.summary import summarize
        from econzoo.evaluate.run.records import read_records

        return describe(summarize(read_records(records)))
    except Exception as error:
        return {"problem": f"{error}"}


def describe(summary: Summary) -> dict[str, Any]:
    """A summary as what a page shows of it."""
    from econzoo.evaluate.analyses.summary.sentences import sentences
    from econzoo.evaluate.analyses.summary.tables import objective_columns, ranking

    columns = objective_columns(summary, [group.overall[one] for group in summary.groups for one in group.players])
    shown = [one for one in columns if TERMINAL in one.places]
    tables = [one for group in summary.groups for one in (_ranking(summary, group, shown), _cross_play(summary, group))]
    legend = ranking(summary)[0].legend
    return {"sentences": sentences(summary), "tables": tables, "figures": _figures(summary), "legend": legend}


def _ranking(summary: Summary, group: Group, columns: Sequence[Column]) -> dict[str, Any]:
    from econzoo.evaluate.analyses.summary.tables import heading

    body = [[player, *_texts(columns, [group.overall[player][one.key] for one in columns])] for player in group.players]
    heads = [text for one in columns for text in (one.title, *["95%"] * one.ranged)]
    return {"kind": "ranking", "about": heading(summary, group), "heads": ["player", *heads], "rows": body}


def _texts(columns: Sequence[Column], cells: Sequence[Any]) -> Iterator[str]:
    for column, one in zip(columns, cells, strict=True):
        yield write_value(column, one)
        if column.ranged:
            yield write_interval(column, one) or NOTHING


def _cross_play(summary: Summary, group: Group) -> dict[str, Any]:
    from econzoo.evaluate.analyses.summary.tables import heading

    value, found = Column(summary.objective), {pair: one[summary.objective] for pair, one in group.pairs.items()}
    body = [[one, *(write_value(value, found.get((one, other))) for other in group.opponents)] for one in group.players]
    return {"kind": "cross", "about": heading(summary, group), "heads": ["against", *group.opponents], "rows": body}


def _figures(summary: Summary) -> list[dict[str, str]]:
    from econzoo.evaluate.analyses.summary import figures
    from econzoo.evaluate.analyses.summary.tables import heading
    from econzoo.evaluate.show.figures import to_svg

    known = {column for found in summary.overall.values() for column, one in found.items() if one.rows}
    drawn = [("equilibrium", "", figures.equilibrium_figure(summary))] if "share" in known else []
    if {"efficiency", "fairness"} <= known:
        drawn += [("pareto", heading(summary, one), figures.pareto_figure(summary, one)) for one in summary.groups]
    return [{"kind": kind, "about": about, "svg": without_styles(to_svg(one, kind))} for kind, about, one in drawn]


def without_styles(svg: str) -> str:
    """A figure whose looks stand in attributes of their own: a strict page lets no style stand in an element."""
    bare = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r'\sstyle="([^"]*)"', lambda found: _attributes(found[1].split(";")), bare)


def _attributes(rules: Sequence[str]) -> str:
    parts = [(name.strip(), value.strip()) for name, _, value in (rule.partition(":") for rule in rules)]
    looks = [_font(value) if name == "font" else [(name, value)] for name, value in parts if name]
    kept = [(name, value) for some in looks for name, value in some if name not in ("min-width", "max-width")]
    return "".join(f' {name}="{value}"' for name, value in kept)


def _font(value: str) -> list[tuple[str, str]]:
    """Size and weight of a font, whose family is that of the page."""
    size = re.search(r"[\d.]+px", value)
    weight = [("font-weight", "700")] if "bold" in value else []
    return [*([("font-size", size[0])] if size else []), *weight]


def main(records: Path, file: Path) -> None:
    """Writes tables and figures of a folder of records into a file."""
    from econzoo.evaluate.run.folder import recorded_ids

    if hasattr(os, "nice"):
        os.nice(10)
    of = len(recorded_ids(records))
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    fresh.write_text(json.dumps({**make_results(records), "of": of}), encoding="utf-8")
    os.replace(fresh, file)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
