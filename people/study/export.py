"""A whole study as one zip file: records, tables, payments, GLEE's folders, and a codebook."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from econzoo.envs.core.contract.validation import parse_toml
from econzoo.envs.core.files import atomic_write
from econzoo.envs.core.plurals import format_count
from econzoo.evaluate.formats.glee.exporting import export_records
from econzoo.evaluate.formats.glee.folders import FAMILIES
from econzoo.evaluate.show.csv_files import add_rows, write_rows
from econzoo.people.study.anonymity import hash_id, load_salt
from econzoo.people.study.attrition import ArmRow, describe_arm
from econzoo.people.study.declaration import Study
from econzoo.people.study.study_data import FILE, Participant, StoredStudy, check_has_run, load_study_data
from econzoo.people.study.study_file import read_study
from econzoo.people.study.tables import Row, StudyTables, setting_labels, table_heads, table_rows

RECORDS, TABLE, SETTINGS = "records.jsonl", "table.csv", "settings.json"
PAYMENTS, UNAPPROVED_PAYMENTS = "payments.csv", "payments_not_approved.csv"
CODEBOOK, GLEE = "codebook.md", "glee"
"""Files in the zip, besides a CSV for each table of ``columns.toml``."""

CODEBOOK_TEXT = """\
# Codebook of {name}

Participants and matches of the study {name} ({game}), written by econzoo. Empty cells are not known or do not apply.
{who}

| file | what is in it |
|---|---|
| {file} | the study's file: everything that was decided beforehand |
| {table} | the randomisation table, with the places `P1`, `P2`, ... |
{settings}
| {records} | the {matches} that have ended, a line each; `econzoo replay {records}` plays them again |
| participants.csv | a row for everybody who has come |
| seats.csv | a row for each seat of each match: who sat there, and what it earned |
| arms.csv | a row for each arm and game: who completed, beside everybody who was assigned |
| answers.csv | a row for each answer on a page |
| events.csv | a row for each page that somebody reached, was shown, or lost sight of, and what else happened to them |
| {payments} | id and amount of each bonus that was approved, without heads, as platforms take them |
| {unapproved} | likewise of each bonus that waits for approval on the operator's page |
| payouts.csv | a row for everybody who is paid: fee, bonus and their sum, for laboratories that pay both themselves |
{glee}
What participants wrote to each other stands in the matches as they wrote it; names that they gave are in there.
Network addresses are not stored.
"""

SETTINGS_ROW = "| {0} | the settings: `econzoo tournament {1} PLAYER... --settings {0}` lets models play in them |"

HASHED_NOTE = "Ids are keyed hashes, so nobody can be paid by them: `--identified` keeps the ids of the platform."
IDENTIFIED_NOTE = "Ids are those of the platform: this file says who the participants are."


class StudyExport(NamedTuple):
    """What was exported.

    Attributes:
        path: The zip file.
        file_names: Of the files in it, but for GLEE's.
        participants: How many.
        matches: That have ended.
        payments: Bonuses that were approved.
        unapproved_payments: Bonuses that were not.
        glee: What became of the matches as GLEE's folders, in words; empty: the game is none of GLEE.
        arms: Who completed, by arm.
    """

    path: Path
    file_names: tuple[str, ...]
    participants: int
    matches: int
    payments: int
    unapproved_payments: int
    glee: str
    arms: tuple[ArmRow, ...] = ()

    @property
    def counts(self) -> str:
        """How much there is of everything."""
        counts = f"{format_count(self.participants, 'participant')}, {format_count(self.matches, 'match')}"
        told = f"{counts}, {format_count(self.payments, 'bonus')} approved"
        unapproved = format_count(self.unapproved_payments, "bonus")
        waiting = f"{unapproved} waiting for approval on the page /manage of econzoo serve"
        return told + (f", {waiting}" if self.unapproved_payments else "")

    def lines(self) -> list[str]:
        """For people."""
        return [
            f"{self.path}: {self.counts}",
            *dict.fromkeys(map(describe_arm, self.arms)),
            *([f"As GLEE's folders: {self.glee}"] if self.glee else []),
        ]


def export_study(folder: str | Path, out: str | Path | None = None, identified: bool = False) -> StudyExport:
    """Writes the zip file of a study; one that is there is replaced.

    Args:
        folder: Of the study, which may be running.
        out: The zip file; None: ``NAME-export.zip`` beside the folder.
        identified: Whether external ids, labels, completion codes and what came with a link are told as they are.

    Raises:
        FileNotFoundError: No study has run in the folder.
        ValueError: Its file is not as it was.
    """
    check_has_run(folder)
    kept = load_study_data(read_study(Path(folder) / FILE), folder)
    path = Path(out) if out else kept.folder.resolve().parent / f"{kept.study.name}-export.zip"
    salt = b"" if identified else load_salt(kept.folder)

    def id_of(one: Participant) -> str:
        return one.external_id if identified else hash_id(salt, one.source, one.external_id)

    tables = StudyTables(kept, id_of, identified)
    texts = dict(_file_texts(kept, tables))
    with atomic_write(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        glee = _add_glee(archive, kept)
        texts[CODEBOOK] = codebook(kept, identified, bool(glee))
        for name, text in texts.items():
            archive.writestr(name, text)
    ended = sum(one.record is not None for one in kept.matches)
    arms = tuple(ArmRow(**{name: row[name] for name in ArmRow._fields}) for row in tables.arms())
    paid, waiting = (len([*tables.payments(approved)]) for approved in (True, False))
    return StudyExport(path, tuple(texts), len(kept.participants), ended, paid, waiting, glee, arms)


def _file_texts(kept: StoredStudy, tables: StudyTables) -> Iterator[tuple[str, str]]:
    """Name and text of all files but the codebook and GLEE's."""
    yield FILE, kept.study.source
    table = kept.table
    yield TABLE, format_csv(table_rows(kept.study, table), table_heads(kept.study, table))
    yield from _settings_texts(kept.study)
    yield RECORDS, "".join(f"{one.record.to_json()}\n" for one in kept.matches if one.record)
    rows = {"participants": tables.participants, "seats": tables.seats, "arms": tables.arms}
    rows |= {"answers": tables.answers, "events": tables.events, "payouts": tables.payouts}
    for name, found in rows.items():
        yield f"{name}.csv", format_csv(_cells(found(), columns()[name]), list(columns()[name]))
    yield PAYMENTS, format_csv(tables.payments())
    yield UNAPPROVED_PAYMENTS, format_csv(tables.payments(approved=False))


def _settings_texts(study: Study) -> Iterator[tuple[str, str]]:
    """The settings of each game."""
    named = list(zip(setting_labels(study), study.settings, strict=True))
    for game, file in settings_files(study).items():
        own = {name: one.params for name, one in named if one.game == game}
        yield file, json.dumps(own, indent=1) + "\n"


def settings_files(study: Study) -> dict[str, str]:
    """Game to the file of its settings."""
    path = Path(SETTINGS)
    return {game: f"{path.stem}_{game}{path.suffix}" if len(study.games) > 1 else SETTINGS for game in study.games}


def format_csv(rows: Iterable[Sequence[object]], heads: Sequence[str] = ()) -> str:
    """A table as text; what a spreadsheet would compute stands behind an apostrophe."""
    text = io.StringIO()
    if heads:
        write_rows(text, heads, rows)
    else:
        add_rows(text, rows)
    return text.getvalue()


def _cells(rows: Iterable[Row], names: Iterable[str]) -> Iterator[list[object]]:
    wanted = list(names)
    for row in rows:
        yield ["" if row[name] is None else row[name] for name in wanted]


# The codebook


@cache
def columns() -> Mapping[str, Mapping[str, str]]:
    """Table to column to meaning."""
    return parse_toml((files(__package__) / "columns.toml").read_text(encoding="utf-8"))


def codebook(kept: StoredStudy, identified: bool, glee: bool) -> str:
    """What every file and column means, as Markdown."""
    folders = f"| {GLEE}/ | the same matches as folders of GLEE, with config.json and game.csv |\n" if glee else ""
    filled = {
        "file": FILE,
        "table": TABLE,
        "settings": "\n".join(map(SETTINGS_ROW.format, settings_files(kept.study).values(), kept.study.games)),
        "records": RECORDS,
        "payments": PAYMENTS,
        "unapproved": UNAPPROVED_PAYMENTS,
        "glee": folders,
    }
    ended = sum(one.record is not None for one in kept.matches)
    told = {"who": IDENTIFIED_NOTE if identified else HASHED_NOTE, "matches": format_count(ended, "match")}
    text = CODEBOOK_TEXT.format(name=kept.study.name, game=", ".join(kept.study.games), **filled, **told)
    for table, meanings in columns().items():
        rows = "\n".join(f"| {name} | {meaning} |" for name, meaning in meanings.items())
        text += f"\n## {table}.csv\n\n| column | meaning |\n|---|---|\n{rows}\n"
    return text


# GLEE's folders


def _add_glee(archive: zipfile.ZipFile, kept: StoredStudy) -> str:
    """Adds the matches that GLEE can say; returns what became of them, in words."""
    records = [one.record for one in kept.matches if one.record and one.record.game in FAMILIES]
    if not records:
        return ""
    with TemporaryDirectory() as folder:
        done = export_records(records, folder)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                archive.write(path, f"{GLEE}/{path.relative_to(folder).as_posix()}")
    return done.lines()[-1]
