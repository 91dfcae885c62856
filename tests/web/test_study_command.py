"""``econzoo serve STUDY.toml`` as in docs/people.md: the link is printed, and the folder is frozen."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the pages of studies need the extra web")

import httpx
from participant import file_of

from econzoo.__main__ import main

RUN, EXPORT = "econzoo serve bargaining.toml", "econzoo study export bargaining-pilot"


def econzoo(command: str) -> list[str]:
    return [sys.executable, "-m", *command.split()]


def managed(folder: Path) -> str:
    """What ``econzoo serve`` lists under /manage when it is started in a folder."""
    line, env = (
        [*econzoo("econzoo serve --port 0 --no-open")],
        {**os.environ, "ECONZOO_TOKEN": "nobody guesses this one"},
    )
    with subprocess.Popen(
        line, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            url, given = server.stdout.readline().strip(), {"token": env["ECONZOO_TOKEN"], "to": "/manage"}
            text = httpx.get(f"{url}operator", params=given, follow_redirects=True).text
        finally:
            server.kill()
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text))


def test_the_example_runs_and_is_exported(tmp_path: Path):
    init = subprocess.run(econzoo("econzoo study init bargaining"), cwd=tmp_path, check=True, capture_output=True)
    assert b"bargaining.toml" in init.stdout
    with subprocess.Popen(
        [*econzoo(RUN), "--port", "0"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            link = server.stdout.readline().strip()
            assert link.endswith("/study/bargaining-pilot?label=LABEL")
            answer = httpx.get(link.replace("LABEL", "ann"), follow_redirects=True)
            assert "Taking part in this study" in answer.text
            assert "0 of 24 finished running consent: 1" in managed(tmp_path)
        finally:
            server.kill()
    assert "0 of 24 finished server stopped consent: 1" in managed(tmp_path)
    again = [*econzoo("econzoo serve bargaining-pilot"), "--port", "0"]
    with subprocess.Popen(again, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline().strip().endswith("/study/bargaining-pilot?label=LABEL")
        finally:
            server.kill()
    folder = tmp_path / "bargaining-pilot"
    assert (folder / "study.toml").read_text("utf-8") == (tmp_path / "bargaining.toml").read_text("utf-8")
    subprocess.run(econzoo(EXPORT), cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "bargaining-pilot-export.zip").exists()


@pytest.mark.parametrize(
    ("before", "now", "told"),
    [
        ({}, {"participants": 4}, "is not the study of"),
        (None, {"leaving": "mock('D')"}, "cannot take a seat during a match"),
    ],
)
def test_what_cannot_run_is_refused(tmp_path: Path, before, now, told):
    if before is not None:
        (tmp_path / "pilot").mkdir()
        (tmp_path / "pilot" / "study.toml").write_text(file_of(**before), encoding="utf-8")
    (tmp_path / "bargaining.toml").write_text(file_of(**now), encoding="utf-8")
    ran = subprocess.run(
        [*econzoo(RUN), "--port", "0"], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode != 0
    assert told in " ".join(ran.stderr.split())


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("serve nowhere.toml", "no such file: nowhere.toml"),
        ("serve empty", "empty holds no study and no table"),
        ("serve empty --out other", "--out=other is not allowed with empty, which goes on"),
        ("serve bargaining.toml --texts de", "--texts is not allowed with a study; allowed: at the table"),
        ("serve --port 70000", "port=70000 is not allowed; allowed: a whole number from 0 to 65535"),
        ("study export bargaining.toml --format otree --identified", "--identified is not allowed with --format otree"),
    ],
)
def test_what_cannot_be_served_or_written_is_refused(tmp_path: Path, monkeypatch, capsys, line, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bargaining.toml").write_text(file_of(), encoding="utf-8")
    with pytest.raises(SystemExit, match="1"):
        main(line.split())
    assert told in " ".join(capsys.readouterr().err.split())
