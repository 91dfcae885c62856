"""How far runs and trainings are, by their files alone: counts, speed, and what is left at that speed."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from given_commands import command

from econzoo.evaluate.commands.status import FolderStatus, pace
from econzoo.evaluate.run import MAX_TRIES, missing_matches, new_design, read_run_start, run
from econzoo.evaluate.run.workers import failed_record
from econzoo.evaluate.show import format_duration
from refusals import says

START = 1_000_000.0


def told(*folders: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    """What ``econzoo status --json`` says."""
    assert command("status", *folders, "--json") == 0
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


def working(began: float, last: float, new: int, planned: int = 100, done: int = 0) -> FolderStatus:
    return FolderStatus("", "", planned, done or new, new=new, began=START + began, last=START + last)


def test_speed_is_what_was_done_by_the_time_in_which_anything_was() -> None:
    one, next_one, beside = working(0, 10, 20), working(10, 20, 60), working(0, 10, 60)
    assert pace([one]) == (2.0, 40.0)
    assert pace([one, next_one]) == pace([next_one, one]) == (4.0, 30.0)  # one folder after the other
    assert pace([one, beside]) == (8.0, 15.0)  # at the same time
    assert pace([one, working(500, 510, 20)]) == (2.0, 80.0)  # what lies between is no work
    assert pace([working(0, 10, 100)])[1] == 0.0
    for idle in (working(0, 10, 0, done=5), working(0, -3, 20), FolderStatus("", "", 9, 3), working(0, 0.1, 5)):
        assert all(map(math.isnan, pace([idle])))


def test_times_have_two_units() -> None:
    for seconds, words in {0.4: "0 s", 59.6: "1 min 0 s", 7200: "2 h 0 min", 90061: "1 d 1 h", 3: "3 s"}.items():
        assert format_duration(seconds) == words


def test_a_run_is_counted_as_it_grows(tmp_path, capsys) -> None:
    """In two commands; the speed is that of the second one."""
    design = new_design("bargaining", ["fair", "spe"], seeds=6)  # 24 matches
    todo = missing_matches(design, tmp_path)
    run(design, tmp_path, jobs=1, todo=todo[:4])
    assert told(tmp_path, capsys=capsys)[0]["new"] == 4
    run(design, tmp_path, jobs=1, todo=todo[4:14])
    records, begun = tmp_path / "records.jsonl", read_run_start(tmp_path)
    assert begun is not None
    assert 0 < begun.sizes["records.jsonl"] < records.stat().st_size
    os.utime(records, (begun.at + 5, begun.at + 5))
    with records.open("ab") as file:
        file.write(records.read_bytes().splitlines(keepends=True)[0] + b'{"game": torn')  # once more, and by a kill
    os.utime(records, (begun.at + 5, begun.at + 5))
    (one,) = told(tmp_path, capsys=capsys)
    keys = "planned", "done", "missing", "failed", "new", "speed", "seconds_left"
    assert [one[key] for key in keys] == [24, 14, 10, 0, 10, 2.0, 5.0]
    (tmp_path / "manifest.json").write_text(design.to_json())  # of old, or joined
    (one,) = told(tmp_path, capsys=capsys)
    assert (one["done"], one["speed"], one["seconds_left"]) == (14, None, None)


def test_suites_have_a_row_for_each_folder_and_one_for_all(tmp_path, capsys) -> None:
    for name, seeds, played in (("a", 2, 8), ("b", 3, 3)):
        design = new_design("bargaining", ["fair", "spe"], seeds=seeds)
        run(design, tmp_path / name, jobs=1, todo=missing_matches(design, tmp_path / name)[:played])
    assert command("status", tmp_path) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(("  a", "  b", "  total"))]
    assert [row[:2] + row[-2:] * (row[0] == "a") for row in rows] == [
        ["a", "bargaining", "ago", "none"],
        ["b", "bargaining"],
        ["total", "20"],
    ]
    assert rows[2][1:5] == ["20", "11", "55%", "9"]


def test_matches_that_fail_too_often_are_not_missing(tmp_path, capsys) -> None:
    design = new_design("bargaining", ["fair", "spe"], seeds=1)  # 4 matches
    todo = missing_matches(design, tmp_path)
    run(design, tmp_path, jobs=1, todo=todo[:2])
    tries = [*todo[1:3], *[todo[3]] * MAX_TRIES]  # the first of them has ended since
    lines = [failed_record(match, OSError("away")) for match in tries]
    (tmp_path / "records.jsonl.failed").write_text("\n".join(lines) + "\n")
    (one,) = told(tmp_path, capsys=capsys)
    assert [one[key] for key in ("done", "failed", "given_up", "missing")] == [2, 2, 1, 1]
    assert one["missing"] == len(missing_matches(design, tmp_path))


def test_a_training_is_measured_in_moves_by_its_checkpoints(tmp_path, capsys) -> None:
    """It went on at 2,000 moves, and has made 6,000 in 30 seconds since."""
    for seed, done in ((0, 8000), (1, 0)):
        folder = tmp_path / f"seed-{seed}"
        (folder / "checkpoints").mkdir(parents=True)
        (folder / "config.toml").write_text('game = "bargaining"\ntimesteps = 10000\n')
        os.utime(folder / "config.toml", (START, START))
        for moves in range(2000, done + 1, 2000):
            path = folder / "checkpoints" / f"{moves}.zip"
            path.touch()
            os.utime(path, (at := START - 50 if moves == 2000 else START + (moves - 2000) / 200, at))
    first, other = told(tmp_path, capsys=capsys)
    assert [first[key] for key in ("folder", "done", "new", "speed", "seconds_left")] == ["seed-0", 8000, 6000, 200, 10]
    assert [other[key] for key in ("folder", "done", "speed", "seconds_left")] == ["seed-1", 0, None, None]


def test_other_folders_are_refused(tmp_path, capsys) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        assert command("status", folder) == 1
        says(capsys.readouterr().err, folder)
