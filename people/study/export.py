"""Export of a study as one zip file: records, tables, payments, GLEE folders and a codebook."""

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

from econzoo.envs.core import atomic_write, format_count
from econzoo.envs.core.contract import parse_toml
from econzoo.evaluate.formats.glee import FAMILIES, export_records
from econzoo.evaluate.show import add_rows, write_rows
from econzoo.people.study.anonymity import hash_id, load_salt
from econzoo.people.study.attrition import ArmRow, describe_arm
from econzoo.people.study.declaration import Study
from econzoo.people.study.study_data import FILE, Participant, StoredStudy, check_has_run, load_study_data
from econzoo.people.study.study_file import read_study
from econzoo.people.study.tables import Row, StudyTables, setting_labels, table_heads, table_rows

RECORDS, TABLE, SETTINGS = "records.jsonl", "table.csv", "settings.json"
PAYMENTS, UNAPPROVED_PAYMENTS = "payments.csv", "payments_not_approved.csv"
CODEBOOK, GLEE = "codebook.md", "glee"
"""Files in the zip file, besides a CSV file for each table of ``columns.toml``."""

CODEBOOK_TEXT = """\
# Codebook of {name}

Participants and matches of the study {name} ({game}), written by econzoo. Empty cells: unknown or not applicable.
{who}

| file | content |
|---|---|
| {file} | the study file |
| {table} | the randomisation table, with places `P1`, `P2`, ... |
{settings}
| {records} | records of {matches}, one per line; `econzoo replay {records}` verifies them |
| participants.csv | one row per participant |
| seats.csv | one row per seat and match: player and payoff |
| arms.csv | one row per arm and game: completion and payoffs of completers and of all assigned |
| answers.csv | one row per answer on a page |
| events.csv | one row per event: pages reached, shown and hidden, actions of the operator, and others |
| {payments} | id and amount of each approved bonus, without header, for upload to platforms |
| {unapproved} | the same for bonuses that await approval |
| payouts.csv | one row per paid participant: fee, bonus and total, for laboratories that pay both |
{glee}
Messages of participants are part of the records, including names that they gave. Network addresses are not stored.
"""

SETTINGS_ROW = "| {0} | the settings, for models: `econzoo tournament {1} PLAYER... --settings {0}` |"

HASHED_NOTE = "Ids are keyed hashes, which do not allow payment: `--identified` includes the ids of the platform."
IDENTIFIED_NOTE = "Ids are those of the platform: this file identifies the participants."


class StudyExport(NamedTuple):
    """Summary of an export.

    Attributes:
        glee: Summary of the GLEE folders; empty: not a game of GLEE.
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
        """Numbers of participants, matches and bonuses, as text."""
        counts = f"{format_count(self.participants, 'participant')}, {format_count(self.matches, 'match')}"
        counts += f", {format_count(self.payments, 'bonus')} approved"
        unapproved = format_count(self.unapproved_payments, "bonus")
        waiting = f"{unapproved} waiting for approval on the page /manage of econzoo serve"
        return counts + (f", {waiting}" if self.unapproved_payments else "")

    def lines(self) -> list[str]:
        """Return the summary for the terminal."""
        return [
            f"{self.path}: {self.counts}",
            # Rows of several games differ in payoffs only.
            *dict.fromkeys(map(describe_arm, self.arms)),
            *([f"GLEE folders: {self.glee}"] if self.glee else []),
        ]


def export_study(folder: str | Path, out: str | Path | None = None, identified: bool = False) -> StudyExport:
    """Write the zip file of a study, replacing an existing one.

    Args:
        folder: Folder of the study, which may be running.
        out: The zip file; None: ``NAME-export.zip`` beside the folder.
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
        # Last, since it says whether there are folders of GLEE.
        texts[CODEBOOK] = codebook(kept, identified, bool(glee))
        for name, text in texts.items():
            archive.writestr(name, text)
    ended = sum(one.record is not None for one in kept.matches)
    arms = tuple(ArmRow(**{name: row[name] for name in ArmRow._fields}) for row in tables.arms())
    paid, waiting = (len([*tables.payments(approved)]) for approved in (True, False))
    return StudyExport(path, tuple(texts), len(kept.participants), ended, paid, waiting, glee, arms)


def _file_texts(kept: StoredStudy, tables: StudyTables) -> Iterator[tuple[str, str]]:
    """Yield name and text of all files except the codebook and GLEE's."""
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
    """Yield name and text of the settings file of each game."""
    named = list(zip(setting_labels(study), study.settings, strict=True))
    for game, file in settings_files(study).items():
        own = {name: one.params for name, one in named if one.game == game}
        yield file, json.dumps(own, indent=1) + "\n"


def settings_files(study: Study) -> dict[str, str]:
    """Return game to the name of its settings file."""
    path = Path(SETTINGS)
    return {game: f"{path.stem}_{game}{path.suffix}" if len(study.games) > 1 else SETTINGS for game in study.games}


def format_csv(rows: Iterable[Sequence[object]], heads: Sequence[str] = ()) -> str:
    """Return a CSV text; cells that a spreadsheet would evaluate begin with an apostrophe."""
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
    """Return table to column to meaning."""
    return parse_toml((files(__package__) / "columns.toml").read_text(encoding="utf-8"))


def codebook(kept: StoredStudy, identified: bool, glee: bool) -> str:
    """Return the codebook as Markdown."""
    folders = f"| {GLEE}/ | the same matches in GLEE's format, with config.json and game.csv |\n" if glee else ""
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
    filled |= {"who": IDENTIFIED_NOTE if identified else HASHED_NOTE, "matches": format_count(ended, "match")}
    text = CODEBOOK_TEXT.format(name=kept.study.name, game=", ".join(kept.study.games), **filled)
    for table, meanings in columns().items():
        rows = "\n".join(f"| {name} | {meaning} |" for name, meaning in meanings.items())
        text += f"\n## {table}.csv\n\n| column | meaning |\n|---|---|\n{rows}\n"
    return text


# GLEE's folders


def _add_glee(archive: zipfile.ZipFile, kept: StoredStudy) -> str:
    """Add the matches that GLEE's format can express; return a summary."""
    records = [one.record for one in kept.matches if one.record and one.record.game in FAMILIES]
    if not records:
        return ""
    with TemporaryDirectory() as folder:
        done = export_records(records, folder)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                archive.write(path, f"{GLEE}/{path.relative_to(folder).as_posix()}")
    return done.lines()[-1]
