"""Names that come with data become names of files inside a folder, or nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from econzoo.envs.core.contract.validation import file_name
from econzoo.envs.core.record.record import Record, read_records
from econzoo.evaluate.formats.glee.exporting import export_records
from econzoo.evaluate.run.match import play_match
from econzoo.evaluate.run.resuming import match_file
from econzoo.evaluate.show.files import write_parts
from econzoo.evaluate.show.parts import Figure

OUTSIDE = [
    *("../out", "/tmp/out", "..", ".", "", "a/b", "a\\b", "C:out", "~", "~root", ".bashrc", "a\0b", "a\nb", "a.", "a "),
    *("\u202eexe", "x" * 201, "\u20ac" * 100, "*", "CON?", None, 7, ["a"], "\ud800"),
]


@pytest.mark.parametrize("name", OUTSIDE, ids=repr)
def test_a_name_that_leads_elsewhere_is_no_name_of_a_file(name: object) -> None:
    with pytest.raises(ValueError, match=r"^id .* cannot be the name of a file; allowed: 1 to 200 "):
        file_name("id", name)


@pytest.mark.parametrize("name", ["60ED9A8A1A9FD3C2", "a..b", "boulware(0.2) & co", "\u00e9t\u00e9", "-", "x" * 200])
def test_any_other_name_is(name: str, tmp_path: Path) -> None:
    (tmp_path / file_name("id", name)).touch()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.fixture
def match() -> Record:
    return play_match("bargaining", ["spe", "fair"])


@pytest.mark.parametrize(
    "id", ["../../out", "/tmp/out", "..", "60ED9A8A1A9FD3C2", "", "60ed9a8a1a9fd3c", "\u0661" * 16]
)
def test_a_record_with_another_id_than_a_hash_is_no_record(id: str, match: Record, tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(match.to_json().replace(match.id, id) + "\n")
    with pytest.raises(ValueError, match="line 1: not a record: id is not 16 hexadecimal digits"):
        list(read_records(path))


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("id", ["../../../x/out", "/tmp/econzoo-out", "..", "...", "~", None, 3])
def test_games_go_to_folders_below_the_one_that_was_named(
    id: object, deep: bool, match: Record, tmp_path: Path
) -> None:
    """Both the id of a record and that of the game that it was imported from."""
    source = {"format": "glee", "id": id, "config": {"game_type": "bargaining"}, "columns": []}
    config = {f"player_{seat}_args": {"public_name": name} for seat, name in ((1, "Alice"), (2, "Bob"))}
    source["config"] |= config
    there = [replace(match, source=source)] + ([replace(match, id=id)] if isinstance(id, str) else [])
    done = export_records(there, tmp_path / "games", deep)
    assert (done.written, len(done.skipped)) == (0, len(there))
    assert all("cannot be the name of a file" in why for _, _, why in done.skipped)
    assert list(tmp_path.rglob("*")) == []


def test_paused_matches_and_figures_have_names_of_files(match: Record, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^match 'bargaining-/../../x' cannot be"):
        match_file(replace(match, id="/../../x"))
    with pytest.raises(ValueError, match=r"^figure '../x' cannot be"):
        write_parts([Figure("../x", "X", "", _figure())], tmp_path)


def _figure():
    from matplotlib.figure import Figure

    return Figure()
