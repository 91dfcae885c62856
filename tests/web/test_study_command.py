"""``econzoo serve STUDY.toml`` as in docs/studies.md: the link is printed, and the folder is frozen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the pages of studies need the extra web")

import httpx
from operating import Operator
from participant import file_of
from visitor import phrase

from econzoo.__main__ import main
from refusals import says

RUN, EXPORT = "econzoo serve bargaining.toml", "econzoo study export bargaining-pilot"


def econzoo(command: str) -> list[str]:
    return [sys.executable, "-m", *command.split()]


def listed(folder: Path, kind: str) -> bool:
    """Whether the operator of a server in the folder reads under /manage that the study stands so."""
    count = phrase("manage.finished_of", count=0, of=24)
    return f"{count} {phrase(f'manage.kind_{kind}')} {phrase('monitor.at_consent')}: 1" in Operator(folder).told


@pytest.mark.slow
def test_the_example_runs_and_is_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="0"):
        main(["study", "init", "bargaining"])
    says(capsys.readouterr().out, "bargaining.toml")
    with subprocess.Popen(
        [*econzoo(RUN), "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            link = server.stdout.readline().strip()
            assert link.endswith("/study/bargaining-pilot?label=LABEL")
            answer = httpx.get(link.replace("LABEL", "ann"), follow_redirects=True)
            assert phrase("study.title_consent") in answer.text
            assert listed(tmp_path, "running")
        finally:
            server.kill()
    assert listed(tmp_path, "down")
    again = [*econzoo("econzoo serve bargaining-pilot"), "--port", "0"]
    with subprocess.Popen(again, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline().strip().endswith("/study/bargaining-pilot?label=LABEL")
        finally:
            server.kill()
    folder = tmp_path / "bargaining-pilot"
    assert (folder / "study.toml").read_text("utf-8") == (tmp_path / "bargaining.toml").read_text("utf-8")
    with pytest.raises(SystemExit, match="0"):
        main(EXPORT.split()[1:])
    assert (tmp_path / "bargaining-pilot-export.zip").exists()


def test_what_cannot_be_served_or_written_is_refused(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for folder, study in (("pilot", file_of()), ("empty", ""), ("damaged", file_of())):
        Path(folder).mkdir()
        Path(folder, "study.toml").write_text(study, encoding="utf-8") if study else None
    Path("damaged", "table.sqlite").write_bytes(b"no database, but long enough" * 100)
    Path("bargaining.toml").write_text(file_of(), encoding="utf-8")
    Path("another.toml").write_text(file_of(participants=4), encoding="utf-8")
    Path("model.toml").write_text(file_of(leaving="mock('D')").replace('"pilot"', '"model"'), encoding="utf-8")
    for line, *named in (
        ("serve another.toml --port 0", "another.toml", "pilot"),
        ("serve model.toml --port 0", "mock('D')"),
        ("serve nowhere.toml", "nowhere.toml"),
        ("serve empty", "empty"),
        ("serve empty --out other", "--out=other", "empty"),
        ("serve damaged --port 0", "damaged/table.sqlite"),
        ("study export damaged", "damaged/table.sqlite"),
        ("serve bargaining.toml --texts de", "--texts"),
        ("serve --port 70000", "port=70000", 0, 65535),
        ("study export bargaining.toml --format otree --identified", "--identified", "--format otree"),
    ):
        with pytest.raises(SystemExit, match="1"):
            main(line.split())
        says(" ".join(capsys.readouterr().err.split()), *named)
