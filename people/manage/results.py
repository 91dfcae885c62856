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
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.contract.validation import from_json
from econzoo.envs.core.extras import need
from econzoo.evaluate.show.numbers import NOTHING
from econzoo.evaluate.show.parts import TERMINAL, Column, write_interval, write_value

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.groups import Group
    from econzoo.evaluate.analyses.summary.summary import Summary

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


def made(records: Path) -> dict[str, Any]:
    """Tables and figures of a folder of records; what cannot be made is told."""
    try:
        need("tables and figures", "pandas", "scipy", "matplotlib", "jinja2")
        from econzoo.evaluate.analyses.summary.summary import summarize
        from econzoo.evaluate.run.records import read_records

        return told(summarize(read_records(records)))
    except Exception as error:
        return {"problem": f"{error}"}


def told(summary: Summary) -> dict[str, Any]:
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
    return [{"kind": kind, "about": about, "svg": unstyled(to_svg(one, kind))} for kind, about, one in drawn]


def unstyled(svg: str) -> str:
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
    fresh.write_text(json.dumps({**made(records), "of": of}), encoding="utf-8")
    os.replace(fresh, file)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
