"""The pages on studies and records list every key, table and column of the files of studies, and no other."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the pages of studies need the extra web")

from given import FILE, study, text

from econzoo.people.bots.testing import write_result
from econzoo.people.bots.trial import TrialResult
from econzoo.people.manage.judgings import Judge, JudgingSetup
from econzoo.people.manage.order import Order
from econzoo.people.manage.runs import Run
from econzoo.people.participation import Participants
from econzoo.people.study import HEADS, Item, Stage, plan_matches, table_heads
from econzoo.people.study.declaration import Arm, Attention, Leaving, Matching, Recruitment, StudyWords, Times
from econzoo.people.study.ends import End
from econzoo.people.study.items import Question
from econzoo.people.study.payment import Payment
from econzoo.people.study.study_file import parse_study
from econzoo.people.table import Terms
from econzoo.people.table.transcript_pages import COLUMNS
from refusals import refuses

DOCS = Path(__file__).parents[2] / "docs"

NAME = re.compile(r"`([a-z][a-z_0-9]*)`")


def section(page: str, title: str) -> str:
    """A section of a page, up to the next heading."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.split(r"^#+ ", text.partition(f"\n{title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def row(page: str, title: str, head: str) -> str:
    """The second cell of the row of a section's tables that begins with a word."""
    (found,) = re.findall(rf"^\| [^|]*{re.escape(head)}[^|]* \| (.*) \|$", section(page, title), re.MULTILINE)
    return str(found)


TABLES: dict[str, Any] = {
    "[[arms]]": Arm,
    "[matching]": Matching,
    "[words]": StudyWords,
    "[attention]": Attention,
    "[payment]": Payment,
    "[recruitment]": Recruitment,
    "[ends]": End,
    "[time]": Times,
    "[leaving]": Leaving,
}


@pytest.mark.parametrize("table", TABLES)
def test_the_page_of_studies_has_every_key_of_the_file(table: str) -> None:
    code = re.findall(r"`[^`]*`", row("studies.md", "## The file", f"`{table}`"))
    assert {one.name for one in fields(TABLES[table])} - set(re.findall(r"[a-z_]+", " ".join(code))) == set()


def test_questions_and_stages_have_every_key() -> None:
    questions = section("studies.md", "### Questions") + row("studies.md", "## The file", "[[quiz]]")
    assert {one.name for one in fields(Item)} | {one.name for one in fields(Question)} <= set(
        re.findall(r"[a-z_]+", questions)
    )
    stages = section("studies.md", "### Stages") + section("studies.md", "### Several games")
    keys = {one.name for one in fields(Stage)} - {"setting_indices"} | {"rate", "seats"}
    assert {key for key in keys if not re.search(rf"^(\[+stages\.)?{key}( =|\]+)", stages, re.MULTILINE)} == set()


def test_the_page_of_records_has_every_table_and_column_of_the_database(tmp_path: Path) -> None:
    Participants(tmp_path / "table.sqlite", "pilot").close()
    with closing(sqlite3.connect(tmp_path / "table.sqlite")) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = {name: [one[1] for one in db.execute(f"PRAGMA table_info({name})")] for name in tables}
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    lines = section("records.md", "### Studies").partition("| table of `table.sqlite` |")[2].partition("\n\n")[0]
    cells = [line.split("|") for line in lines.split("\n")[2:]]
    listed = {name.strip("` "): columns.partition(":")[0] for _, name, columns, _ in cells}
    terms = re.search(r"`terms` \((.*?)\)", listed["matches"])
    assert terms is not None
    assert NAME.findall(terms[1]) == list(Terms._fields)
    assert {name: NAME.findall(re.sub(r" \(.*?\)", "", text)) for name, text in listed.items()} == kept


def test_the_page_of_records_has_every_key_of_the_other_files(tmp_path: Path) -> None:
    write_result(path := tmp_path / "test.json", study(), TrialResult([], tmp_path, "", 1.0, []), 1.0, [])
    result = re.findall(r'"(\w+)":', path.read_text())
    heads = [re.sub(r"_\d", "_0", name) for name in table_heads(study(), plan_matches(study()))]
    app = resources.files("econzoo.people.otree").joinpath("templates", "app.py.template").read_text()
    matches, payments = [re.findall(r'"(\w+)"', line) for line in re.findall(r'yield \["session".*', app)]
    for head, keys in (
        ("`custom_export`", matches),
        ("`custom_export_payments`", payments),
        ("`run.json`", [*Run._fields, "pause", "stop"]),
        ("order.json", ["format", *Order._fields, "records"]),
        ("judging.json", ["format", *JudgingSetup._fields, *Judge._fields]),
        ("test.json", [*result, "minutes", "waiting_minutes"]),
        ("`study compare", HEADS),
        ("`/transcripts`", COLUMNS),
        ("`study plan --table`", [*heads, "game"]),
    ):
        assert set(NAME.findall(row("records.md", "### Studies", head))) == set(keys), head


def test_files_of_another_format_are_refused(tmp_path: Path) -> None:
    with refuses(ValueError, "pilot.toml", "format 2", "format 1"):
        parse_study(f"format = 2\n{text()}", FILE)
    Participants(tmp_path / "table.sqlite", "pilot").close()
    with closing(sqlite3.connect(tmp_path / "table.sqlite")) as db:
        db.execute("PRAGMA user_version = 2")
    with refuses(ValueError, "table.sqlite", "format 2", "format 1"):
        Participants(tmp_path / "table.sqlite", "pilot")
    order = Order("", "bargaining", ("fair",), (), (), {}, 1).to_json()
    for key, found in (('"format": 2,', 2), ("", None)):
        with refuses(ValueError, f"format {found}", "format 1"):
            Order.from_json(order.replace('"format": 1,', key))
