"""Export of several sessions of a study as one zip file, with merged tables and a session column."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from econzoo.envs.core import ARCHIVE_BYTES, atomic_write, format_count, list_members, read_bytes
from econzoo.people.study.declaration import Study
from econzoo.people.study.export import CODEBOOK, GLEE, RECORDS, SETTINGS, TABLE, StudyExport, columns, export_study
from econzoo.people.study.study_data import FILE, check_has_run
from econzoo.people.study.study_file import read_study

SESSION_COLUMN = "session"
"""First column of the joined tables."""

CODEBOOK_TEXT = """\
# Sessions of {name}

{sessions}. Tables are merged, with the session in the first column, `{column}`; records and payments are in the same
order. Numbers of participants, matches and groups count within a session. The folder of each session has its codebook,
study file and randomisation table.
"""


class SessionsExport(NamedTuple):
    """Summary of an export of sessions."""

    path: Path
    sessions: Mapping[str, StudyExport]

    def lines(self) -> list[str]:
        """Return the summary for the terminal."""
        counts = [f"{name}: {one.counts}" for name, one in self.sessions.items()]
        return [f"{self.path}: {format_count(len(self.sessions), 'session')}", *counts]


def export_sessions(
    folders: Sequence[str | Path], out: str | Path | None = None, identified: bool = False
) -> SessionsExport:
    """Write the zip file of several sessions of a study, replacing an existing one.

    Args:
        folders: Folders of the sessions, which may be running.
        out: The zip file; None: ``NAME-sessions.zip`` beside the first folder.
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
    """Return session name, or else folder name, to study."""
    studies: dict[str, Study] = {}
    for folder in folders:
        check_has_run(folder)
        study = read_study(Path(folder) / FILE)
        name = study.session or Path(folder).resolve().name
        if name in studies:
            raise ValueError(f"duplicate session {name} in {folder}: expected folders of different sessions")
        if studies and _common_part(study) != _common_part(next(iter(studies.values()))):
            raise ValueError(f"{folder} and {folders[0]} hold different studies: expected sessions of the same file")
        studies[name] = study
    return studies


def _common_part(study: Study) -> Study:
    """Return the study without the parts that differ between sessions."""
    # The seed is that of the session, texts and path are those of its folder, and the source names it.
    matched = replace(study.matching, seed=0)
    return replace(study, session="", matching=matched, texts=Path(study.texts).name, path=Path(), source="")


def _read_zip(path: Path) -> dict[str, bytes]:
    return {name: read_bytes(member, ARCHIVE_BYTES) for name, member in list_members(path).items()}


def _join_files(parts: Mapping[str, Mapping[str, bytes]]) -> dict[str, bytes]:
    """Merge tables, records and payments of all sessions; other files go to a folder per session."""
    merged: dict[str, bytes] = {}
    for session, files in parts.items():
        for name, content in files.items():
            if name in (FILE, TABLE, CODEBOOK) or name.startswith(f"{GLEE}/"):
                merged[f"{session}/{name}"] = content
            elif name.endswith(Path(SETTINGS).suffix):
                merged[name] = content
            elif name.removesuffix(".csv") in columns():
                rows = _add_session_column(content, session, heads=name not in merged)
                merged[name] = merged.get(name, b"") + rows
            else:
                assert name == RECORDS or name.endswith(".csv"), name
                merged[name] = merged.get(name, b"") + content
    return merged


def _add_session_column(table: bytes, session: str, heads: bool) -> bytes:
    """Add the session as first column; cells are not escaped again."""
    text = io.StringIO()
    first, *rows = csv.reader(io.StringIO(table.decode(), newline=""))
    csv.writer(text, lineterminator="\n").writerows(
        [*([[SESSION_COLUMN, *first]] if heads else []), *([session, *row] for row in rows)]
    )
    return text.getvalue().encode()
