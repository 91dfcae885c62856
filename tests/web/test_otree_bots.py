"""oTree's own bots go through a project, in an environment of its own; the records that come out replay."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

pytest.importorskip("markupsafe", reason="the texts of pages need markupsafe")

from declared import FOLDERS, ROOT
from participant import PEOPLE, PROGRAM, file_of, study_in

from econzoo.envs.core.record import read_record_file
from econzoo.evaluate.run import replay
from econzoo.people.otree import write_project

pytestmark = pytest.mark.long

FLOOR = 1.10
"""Of the bonus, which everybody is paid; the nearest binary fraction is above it."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the programs of an environment with oTree and this library are."""
    home, source = tmp_path_factory.mktemp("otree"), tmp_path_factory.mktemp("source")
    for folder in {name.split("/")[0] for name in FOLDERS.values()} | {".ci"}:
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    venv.create(home, with_pip=True)
    found = home / ("Scripts" if os.name == "nt" else "bin")
    command = [str(found / "python"), "-m", "pip", "install", "-q", "otree>=6,<7", "requests", str(source)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"oTree cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    return found


@pytest.mark.parametrize("texts", ["en", "de"])
def test_bots_go_through_the_study(texts: str, programs: Path, tmp_path: Path) -> None:
    text = file_of(arms=PEOPLE + PROGRAM, participants=4, repetitions=2, texts=texts)
    for usual, given in (("rate = 0.10", "rate = 0.01"), ("floor = 0.25", f"floor = {FLOOR}")):
        text = text.replace(usual, given)
    study = study_in(tmp_path, text)
    home = write_project(study, tmp_path / "project")
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}  # oTree starts itself by its name
    command = ["otree", "test", "--export", "out"]
    done = subprocess.run(command, check=False, cwd=home, env=env, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    command = [sys.executable, "records.py", "out/econzoo_study_custom.csv"]
    lines = subprocess.run(command, check=True, cwd=home, capture_output=True, text=True).stdout
    (tmp_path / "records.jsonl").write_text(lines, encoding="utf-8")
    records = list(read_record_file(tmp_path / "records.jsonl"))
    assert [(record.status, replay(record)) for record in records] == [("finished", [])] * 6
    rows = list(csv.DictReader((home / "out" / "econzoo_study.csv").read_text(encoding="utf-8").splitlines()))
    paid = {row["participant.code"]: float(row["participant.payoff"]) for row in rows}
    assert [*paid.values()] == [FLOOR] * 4
