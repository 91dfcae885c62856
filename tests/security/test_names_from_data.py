"""Names that come with data become names of files inside a folder, or nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from econzoo.envs.core.contract import check_file_name, short_repr
from econzoo.envs.core.record import Record, read_record_file
from econzoo.evaluate.formats.glee import export_records
from econzoo.evaluate.run import match_file, play_match
from econzoo.evaluate.show import Figure
from econzoo.evaluate.show.files import write_parts
from refusals import refuses

OUTSIDE = [
    *("../out", "/tmp/out", "..", ".", "", "a/b", "a\\b", "C:out", "~", "~root", ".bashrc", "a\0b", "a\nb", "a.", "a "),
    *("\u202eexe", "x" * 201, "\u20ac" * 100, "*", "CON?", None, 7, ["a"], "\ud800"),
]


def test_a_name_that_leads_elsewhere_is_no_name_of_a_file() -> None:
    for name in OUTSIDE:
        with refuses(ValueError, "id", short_repr(name), 1, 200):
            check_file_name("id", name)


def test_any_other_name_is(tmp_path: Path) -> None:
    names = ["60ED9A8A1A9FD3C2", "a..b", "boulware(0.2) & co", "\u00e9t\u00e9", "-", "x" * 200]
    for name in names:
        (tmp_path / check_file_name("id", name)).touch()
    assert {path.name for path in tmp_path.iterdir()} == set(names)


@pytest.fixture
def match() -> Record:
    return play_match("bargaining", ["spe", "fair"])


def test_a_record_with_another_id_than_a_hash_is_no_record(match: Record, tmp_path: Path) -> None:
    for id in ["../../out", "/tmp/out", "..", "60ED9A8A1A9FD3C2", "", "60ed9a8a1a9fd3c", "\u0661" * 16]:
        path = tmp_path / "records.jsonl"
        path.write_text(match.to_json().replace(match.id, id) + "\n")
        with refuses(ValueError, path, "line 1", "id", 16):
            list(read_record_file(path))


def test_games_go_to_folders_below_the_one_that_was_named(match: Record, tmp_path: Path) -> None:
    """Both the id of a record and that of the game that it was imported from."""
    for id in ["../../../x/out", "/tmp/econzoo-out", "..", "...", "~", None, 3]:
        for deep in [False, True]:
            source = {"format": "glee", "id": id, "config": {"game_type": "bargaining"}, "columns": []}
            config = {f"player_{seat}_args": {"public_name": name} for seat, name in ((1, "Alice"), (2, "Bob"))}
            source["config"] |= config
            there = [replace(match, source=source)] + ([replace(match, id=id)] if isinstance(id, str) else [])
            done = export_records(there, tmp_path / "games", deep)
            assert (done.written, len(done.skipped)) == (0, len(there)), (deep, id)
            assert all(short_repr(id).lower() in why.lower() for _, _, why in done.skipped), (deep, id)
            assert list(tmp_path.rglob("*")) == [], (deep, id)


def test_paused_matches_and_figures_have_names_of_files(match: Record, tmp_path: Path) -> None:
    with refuses(ValueError, "match 'bargaining-/../../x'"):
        match_file(replace(match, id="/../../x"))
    with refuses(ValueError, "figure '../x'"):
        write_parts([Figure("../x", "X", "", _figure())], tmp_path)


def _figure():
    from matplotlib.figure import Figure

    return Figure()
