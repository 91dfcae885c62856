"""Several sessions of one study as one zip file: their tables joined, with a column that tells the session."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from econzoo.envs.core.files import ARCHIVE_BYTES, atomic_write, list_members, read_bytes
from econzoo.envs.core.plurals import format_count
from econzoo.people.study.declaration import Study
from econzoo.people.study.export import (
    CODEBOOK,
    GLEE,
    RECORDS,
    SETTINGS,
    TABLE,
    StudyExport,
    columns,
    export_study,
)
from econzoo.people.study.study_data import FILE, check_has_run
from econzoo.people.study.study_file import read_study

SESSION_COLUMN = "session"
"""First column of the joined tables."""

CODEBOOK_TEXT = """\
# Sessions of {name}

{sessions}. Every table here has the rows of all of them; its first column, `{column}`, tells which one.
Numbers of participants, matches and groups count within a session. Records and payments are joined in the same order.
What the other columns mean stands in the codebook of each session, in a folder of its name, with its file and its
randomisation table.
"""


class SessionsExport(NamedTuple):
    """What was exported.

    Attributes:
        path: The zip file.
        sessions: Name of a session to what it has.
    """

    path: Path
    sessions: Mapping[str, StudyExport]

    def lines(self) -> list[str]:
        """For people."""
        told = [f"{name}: {one.counts}" for name, one in self.sessions.items()]
        return [f"{self.path}: {format_count(len(self.sessions), 'session')}", *told]


def export_sessions(
    folders: Sequence[str | Path], out: str | Path | None = None, identified: bool = False
) -> SessionsExport:
    """Writes the zip file of several sessions of one study; one that is there is replaced.

    Args:
        folders: Of the sessions, which may be running.
        out: The zip file; None: ``NAME-sessions.zip`` beside the first folder.
        identified: See `export_study`.

    Raises:
        FileNotFoundError: No study has run in a folder.
        ValueError: They are not sessions of one study, or two have the same name.
    """
    studies = _load_studies(folders)
    first = next(iter(studies.values()))
    path = Path(out) if out else Path(folders[0]).resolve().parent / f"{first.name}-sessions.zip"
    with TemporaryDirectory() as home:
        done = {
            name: export_study(folder, Path(home) / f"{place}.zip", identified)
            for place, (name, folder) in enumerate(zip(studies, folders, strict=True))
        }
        parts = {name: _read_zip(one.path) for name, one in done.items()}
    with atomic_write(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            CODEBOOK, CODEBOOK_TEXT.format(name=first.name, column=SESSION_COLUMN, sessions=", ".join(studies))
        )
        for name, text in _join_files(parts).items():
            archive.writestr(name, text)
    return SessionsExport(path, done)


def _load_studies(folders: Sequence[str | Path]) -> dict[str, Study]:
    """The study of each folder by the name of its session, or else of its folder."""
    found: dict[str, Study] = {}
    for folder in folders:
        check_has_run(folder)
        study = read_study(Path(folder) / FILE)
        name = study.session or Path(folder).resolve().name
        if name in found:
            raise ValueError(f"{folder} is of the session {name} too; allowed: folders of different sessions")
        if found and _common_part(study) != _common_part(next(iter(found.values()))):
            raise ValueError(f"{folder} holds another study than {folders[0]}; allowed: sessions of the same file")
        found[name] = study
    return found


def _common_part(study: Study) -> Study:
    """What all sessions of a study have in common."""
    matched = replace(study.matching, seed=0)
    return replace(study, session="", matching=matched, texts=Path(study.texts).name, path=Path(), source="")


def _read_zip(path: Path) -> dict[str, bytes]:
    return {name: read_bytes(held, ARCHIVE_BYTES) for name, held in list_members(path).items()}


def _join_files(parts: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes]:
    """The files of all sessions: tables and lists joined, those of each session apart."""
    made: dict[str, bytes] = {}
    for session, files in parts.items():
        for name, held in files.items():
            if name in (FILE, TABLE, CODEBOOK) or name.startswith(f"{GLEE}/"):
                made[f"{session}/{name}"] = held
            elif name.endswith(Path(SETTINGS).suffix):
                made[name] = held
            elif name.removesuffix(".csv") in columns():
                made[name] = made.get(name, b"") + _add_session_column(held, session, heads=name not in made)
            else:
                assert name == RECORDS or name.endswith(".csv"), name
                made[name] = made.get(name, b"") + held
    return made


def _add_session_column(table: bytes, session: str, heads: bool) -> bytes:
    """A table with the session before every row; cells stay as they are, escaped once."""
    text = io.StringIO()
    first, *rows = csv.reader(io.StringIO(table.decode(), newline=""))
    csv.writer(text, lineterminator="\n").writerows(
        [*([[SESSION_COLUMN, *first]] if heads else []), *([session, *row] for row in rows)]
    )
    return text.getvalue().encode()
