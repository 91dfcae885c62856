"""GLEE's published games to records, and back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from econzoo.envs.core.contract.options import Option
from econzoo.envs.core.contract.parameters import Each, Flag, Text
from econzoo.evaluate.formats.conversions import Converted
from econzoo.evaluate.formats.glee.exporting import export_records
from econzoo.evaluate.formats.glee.importing import import_folder
from econzoo.evaluate.formats.glee.name_decisions import Decisions, table_beside
from econzoo.evaluate.formats.glee.reading import Reading

PANEL = "GLEE"

Names = Annotated[
    str,
    Option(
        Text(), "Table of what was decided about words that may be names.", panel=PANEL, default="beside the records"
    ),
]
KeepNames = Annotated[bool, Option(Flag(), "Leave names of people in messages.", panel=PANEL)]
Scrub = Annotated[
    list[str],
    Option(Each(Text()), "First name to take out of messages besides those that are found (repeatable).", panel=PANEL),
]
Deep = Annotated[bool, Option(Flag(), "FAMILY/I/D/./ID, by the first three signs of the id.", panel=PANEL)]


def import_glee(
    source: str | Path,
    out: str | Path,
    scrub: Scrub = [],  # noqa: B006
    names: Names = "",
    keep_names: KeepNames = False,
) -> Converted:
    """Turns GLEE's published games into records, each checked against our rules; what does not pass is listed.

    Words that may be names of people are written into a table; a game waits until all of its own have a decision
    there. See `econzoo.evaluate.formats.glee.importing.import_folder`.

    Args:
        source: Searched for ``config.json`` and ``game.csv``.
        out: File of records; games that it has are not added again.
        scrub: First names to take out of messages, besides those that are found.
        names: The table; empty: beside `out`.
        keep_names: Leave names of people in messages.

    Returns:
        Not complete if a game waits, or if none passes.
    """
    done = import_folder(source, out, scrub, keep_names, names or None)
    complete = not done.undecided and bool(done.added or done.already)
    return Converted(done.lines(), done.to_dict(), complete)


def export_glee(
    source: str | Path, out: str | Path, deep: Deep = False, names: Names = "", keep_names: KeepNames = False
) -> Converted:
    """Writes records as GLEE publishes games: a folder each, with ``config.json`` and ``game.csv``.

    Imported games with people are written only if all words that may be names have a decision in the table.

    Args:
        source: File of records, or a folder with them.
        out: Where the folders FAMILY/ID go.
        deep: See `econzoo.evaluate.formats.glee.folders.folder_of`.
        names: The table; empty: beside `source`.
        keep_names: Leave names of people in messages.

    Returns:
        Not complete if a game waits, or a line is no record that can be used.
    """
    reading = Reading(source)
    decided = None if keep_names else Decisions(Path(names) if names else table_beside(Path(source)))
    done = export_records(reading.each(lambda record: record), out, deep, decided)
    done.unreadable = len(reading.left_out)
    complete = reading.complete and not done.undecided
    return Converted(done.lines(), vars(done), complete, reading.lines())
