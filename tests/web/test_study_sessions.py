"""Lists of labels, sessions of one file, and demonstrations."""

from __future__ import annotations

import csv
import io
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the pages of studies need the extra web")

import httpx
from participant import Lab, file_of, play, study_in
from visitor import phrase

from econzoo.__main__ import main
from econzoo.people.study import export_sessions, export_study, plan_matches, read_study, select_session
from econzoo.people.study.export import columns
from econzoo.people.study.study_file import parse_study
from econzoo.people.study_server import prepare_folder
from refusals import refuses, says

LABELS = 'labels = ["a7", "b8"]\n'


def listed(labels: str, **given: str) -> str:
    return file_of(**given).replace("[recruitment]\n", f"[recruitment]\n{labels}")


# Labels


def test_who_is_not_on_the_list_is_told_so_and_is_no_participant(new):
    lab = new(text=listed(LABELS))
    for label in ("a9", "A7", "a7x"):
        stranger = lab.guest(label)
        assert stranger.status == 403
        assert phrase("survey.not_listed") in stranger.text
    assert lab.store.participants() == []
    assert lab.guest("a7").where == "consent"
    assert lab.guest(" b8 ").where == "consent", "as all labels, without blanks"


def test_the_list_may_be_a_file_and_is_frozen_with_the_study(tmp_path):
    (tmp_path / "labels.txt").write_text("\ufeffa7\n\n  b8 \nJörg\n", encoding="utf-8")
    study = study_in(tmp_path, listed('labels = "labels.txt"\n'))
    assert study.recruitment.labels == ("a7", "b8", "Jörg")
    folder = prepare_folder(study, tmp_path / "pilot")
    (tmp_path / "labels.txt").unlink()
    assert read_study(folder / "study.toml").recruitment.labels == ("a7", "b8", "Jörg")


def test_lists_that_let_nobody_in_are_refused(tmp_path):
    (tmp_path / "twice.txt").write_text("a7\nb8\na7\n", encoding="utf-8")
    (tmp_path / "empty.txt").write_text("\n", encoding="utf-8")
    for labels, *named in (
        ("labels = []", "recruitment.labels"),
        ('labels = ["a7", ""]', "recruitment.labels"),
        ('labels = ["a7", "a7"]', "distinct"),
        ('labels = "twice.txt"', "distinct"),
        ('labels = "empty.txt"', "labels", "1", "200"),
        ('labels = "none.txt"', "none.txt"),
        ('labels = "../labels.txt"', "beside"),
    ):
        with refuses(ValueError, *named):
            study_in(tmp_path, listed(f"{labels}\n"))
    with refuses(ValueError, "labels", "links"):
        study_in(tmp_path, listed(LABELS).replace('source = "links"', 'source = "prolific"'))


# Sessions


def test_a_session_is_the_same_study_with_a_table_of_its_own(tmp_path):
    study = study_in(tmp_path, participants=8, repetitions=2, partners="random")
    monday, tuesday = (select_session(study, name) for name in ("monday", "tuesday"))
    seeds = [one.matching.seed for one in (study, monday, tuesday)]
    assert len({*seeds}) == 3
    tables = [[(one.players, one.seed) for one in plan_matches(each)] for each in (study, monday, tuesday)]
    assert tables[0] != tables[1] != tables[2] != tables[0]
    again = parse_study(monday.source, tmp_path / "study.toml")
    assert (again.session, plan_matches(again)) == ("monday", plan_matches(monday)), "the frozen file says it all"
    assert [again.name, again.arms, again.settings] == [study.name, study.arms, study.settings]


def test_names_of_sessions_that_are_no_folders_are_refused(tmp_path):
    study = study_in(tmp_path)
    for name in ("", "../x", "a b", "-x", 'x"\ny = 1', "x" * 61):
        with refuses(ValueError, "--session", "1", "60"):
            select_session(study, name)
    with refuses(ValueError, "--session", "monday"):
        select_session(select_session(study, "monday"), "tuesday")


def test_a_label_may_come_once_to_every_session(tmp_path):
    study = study_in(tmp_path)
    for name in ("monday", "tuesday"):
        (folder := tmp_path / name).mkdir()
        lab = Lab(folder, select_session(study, name))
        try:
            assert lab.guest("ann").where == "consent"
            assert len(lab.store.participants()) == 1
        finally:
            lab.running.close()


def test_options_that_contradict_each_other_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(file_of(), encoding="utf-8")
    prepare_folder(read_study("study.toml"), Path("pilot"))
    for command, *named in (
        ("serve study.toml --demo --out here", "--out", "--demo"),
        ("serve study.toml --demo --session monday", "--session", "--demo"),
        ("serve --demo", "--demo", "study"),
        ("serve --session monday", "--session", "study"),
        ("serve pilot --session monday", "--session", "pilot"),
        ("serve study.toml --session ../x", "--session", "60"),
    ):
        with pytest.raises(SystemExit, match="1"):
            main(command.split())
        says(capsys.readouterr().err, *named)


@pytest.mark.slow
def test_the_command_serves_a_session_from_its_folder(tmp_path):
    (tmp_path / "study.toml").write_text(file_of(), encoding="utf-8")
    for given in ("study.toml --session monday", "pilot-monday"):
        link, server = served(tmp_path, given)
        try:
            assert link.endswith("/study/pilot?label=LABEL")
            answer = httpx.get(link.replace("LABEL", "ann"), follow_redirects=True)
            assert phrase("study.title_consent") in answer.text
        finally:
            server.kill()
            server.communicate()
    assert read_study(tmp_path / "pilot-monday" / "study.toml").session == "monday"


def served(folder: Path, given: str) -> tuple[str, subprocess.Popen[str]]:
    """The link for participants, and the process of ``econzoo serve``."""
    command = [sys.executable, "-m", "econzoo", "serve", *given.split(), "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout is not None
    return server.stdout.readline().strip(), server


def test_sessions_are_exported_together(tmp_path, capsys):
    """The joined tables are those of each session alone, with one column more."""
    study, folders = study_in(tmp_path), [tmp_path / "m" / "pilot", tmp_path / "t" / "pilot"]
    for name, folder in zip(("monday", "tuesday"), folders, strict=True):
        lab = Lab(folder.parent, select_session(study, name))
        try:
            ann, ben = lab.ready("ann"), lab.ready("=ben")
            play(ann, ben)
            ann.next().tell(**{"item.2": 'two\nlines, "quoted"'}).finish()
        finally:
            lab.running.close()
    with pytest.raises(SystemExit, match="0"):
        main(["study", "export", *map(str, folders), "--identified", "--out", str(tmp_path / "both.zip")])
    says(capsys.readouterr().out, "both.zip", "2 sessions", "monday", "tuesday")
    joined, alone = (
        read_zip(tmp_path / "both.zip"),
        [read_zip(export_study(one, identified=True).path) for one in folders],
    )
    for name in columns():
        rows = [
            row
            for session, files in zip(("monday", "tuesday"), alone, strict=True)
            for row in table(files, name, session)
        ]
        assert table(joined, name) == rows
    assert joined["records.jsonl"] == "".join(files["records.jsonl"] for files in alone)
    assert joined["payments_not_approved.csv"] == "".join(files["payments_not_approved.csv"] for files in alone)
    for session, files in zip(("monday", "tuesday"), alone, strict=True):
        for name in ("study.toml", "table.csv", "codebook.md"):
            assert joined[f"{session}/{name}"] == files[name]
    assert "`session`" in joined["codebook.md"]


def read_zip(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def table(files: dict[str, str], name: str, session: str = "") -> list[dict[str, str]]:
    """The rows of a table, with the session where it is given."""
    rows = csv.DictReader(io.StringIO(files[f"{name}.csv"], newline=""))
    return [{**({"session": session} if session else {}), **row} for row in rows]


def test_only_sessions_of_one_file_are_exported_together(tmp_path):
    study, other = study_in(tmp_path), study_in(tmp_path, participants=4)
    folders = {name: tmp_path / name for name in ("a", "b", "again", "other")}
    for folder, one in zip(folders.values(), (study, study, study, other), strict=True):
        folder.mkdir()
        session = {"a": "monday", "b": "tuesday", "again": "monday", "other": "friday"}[folder.name]
        Lab(folder, select_session(one, session)).running.close()
    kept = {name: folder / "pilot" for name, folder in folders.items()}
    assert len(export_sessions([kept["a"], kept["b"]], tmp_path / "out.zip").sessions) == 2
    with refuses(ValueError, "monday"):
        export_sessions([kept["a"], kept["again"]])
    with refuses(ValueError, "different studies"):
        export_sessions([kept["a"], kept["other"]])
    with refuses(FileNotFoundError, "nowhere"):
        export_sessions([kept["a"], tmp_path / "nowhere"])


# Demonstrations


def demo(folder: Path, text: str) -> Lab:
    """A demonstration, in this process."""
    return Lab(folder, study_in(folder, text), demo=True)


def test_in_a_demonstration_everybody_is_new_and_every_page_says_what_it_is(tmp_path):
    lab = demo(tmp_path, listed(LABELS, url="https://example.org/{code}"))
    try:
        ann, ben = (lab.guest().enter() for _ in range(2))
        assert ann.token != ben.token
        assert lab.guest().enter(label="ann").where == "consent", "nobody has to be on the list"
        for guest in (ann, ben):
            guest.agree().read().answer()
        play(ann, ben)
        ann.next().tell().finish()
        assert ann.where == "done"
        assert all(phrase("frame.demo") in page for page in ann.received)
        assert "example.org" not in ann.text, "nobody goes to where others are paid"
    finally:
        lab.running.close()


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_demonstration_leaves_nothing_behind(tmp_path, stop, monkeypatch):
    (tmp_path / "study.toml").write_text(file_of(), encoding="utf-8")
    (home := tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(home))
    link, server = served(tmp_path, "study.toml --demo")
    try:
        assert link.endswith("/study/pilot")
        pages = [httpx.get(link, follow_redirects=True) for _ in range(2)]
        assert len({str(page.url) for page in pages}) == 2
        assert all(phrase("frame.demo") in page.text for page in pages)
        assert [*home.iterdir()] != []
    finally:
        server.send_signal(stop)
        server.communicate(timeout=30)
    assert [*home.iterdir()] == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["study.toml", "tmp"]
