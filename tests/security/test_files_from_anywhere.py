"""Every reader of files that somebody else may have written takes regular files of a sensible size alone."""

from __future__ import annotations

import json
import os
import signal
import struct
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import alympics_files
import glee_files
import pytest

from econzoo.baselines import METADATA, OPTIMIZER, WEIGHTS, read_metadata, tensors_of
from econzoo.baselines.parts.persona import load_personas
from econzoo.baselines.programs import read_program
from econzoo.envs.command_line import read_config
from econzoo.envs.core import LARGE_FILE_BYTES, SMALL_FILE_BYTES, files, game, list_members, read_csv_rows, read_text
from econzoo.envs.core.faces import load_templates
from econzoo.envs.core.files import DIRECTORY_BYTES, MAX_MEMBERS
from econzoo.envs.core.record import RecordFile, compress, read_lines, read_record_file
from econzoo.envs.core.record import lines as record_lines
from econzoo.evaluate.analyses import read_curve
from econzoo.evaluate.analyses.evolution.matrix_files import read_matrix_file as read_matrix
from econzoo.evaluate.analyses.judging import load_rubric, read_ratings
from econzoo.evaluate.commands.judge import JudgeOptions
from econzoo.evaluate.formats.alympics import find_published_games
from econzoo.evaluate.formats.alympics import import_games as import_alympics
from econzoo.evaluate.formats.alympics.published import read_published_game as read_alympics
from econzoo.evaluate.formats.glee.folders import read_published_game as read_glee
from econzoo.evaluate.formats.glee.importing import import_folder as import_glee
from econzoo.evaluate.formats.glee.name_decisions import Decisions
from econzoo.evaluate.run import play_match, read_design, read_settings
from econzoo.people.study import example_study, read_study
from econzoo.people.texts import load_texts
from refusals import refuses, says

BARGAINING = "bargaining"
TEXTS: dict[str, tuple[str, Callable[[Path], Any], Callable[[], str]]] = {
    "records": (
        "r.jsonl",
        lambda path: [*read_record_file(path)],
        lambda: play_match(BARGAINING, ["spe"] * 2).to_json(),
    ),
    "markets": ("m.json", lambda path: read_settings(game(BARGAINING), path), lambda: '{"a":\n{"horizon": 3}}'),
    "options": ("c.yaml", lambda path: read_config(path, JudgeOptions), lambda: "scale: 1\nseed: 2\n"),
    "more options": ("c.toml", lambda path: read_config(path, JudgeOptions), lambda: "seed = 1\nlimit = 2\n"),
    "prompts": (
        "p.toml",
        lambda path: load_templates(game(BARGAINING).package, path),
        lambda: 'name = "a"\nlanguage = "en"\n',
    ),
    "personas": ("p.toml", load_personas, lambda: '[a]\nrole = "b"\n'),
    "personas in YAML": ("p.yaml", load_personas, lambda: "a:\n  role: b\n"),
    "a rubric": ("r.toml", lambda path: load_rubric(str(path)), lambda: '[dimension.a]\nname = "A"\n'),
    "ratings": (
        "r.csv",
        lambda path: read_ratings(path, load_rubric("alympics")),
        lambda: "item,judge,dimension,score\n",
    ),
    "a matrix": ("m.csv", read_matrix, lambda: ",a,b\na,1,2\nb,3,4\n"),
    "names": ("n.csv", lambda path: Decisions(path)._decided, lambda: "word,decision\nann,keep\n"),
    "a curve": ("c.csv", read_curve, lambda: "timesteps,reward\n1,2\n"),
    "a study": ("s.toml", lambda path: read_study(path).name, lambda: example_study(BARGAINING, "s.toml")),
    "texts": ("t.toml", lambda path: load_texts.__wrapped__(str(path)).words, lambda: 'lang = "de"\n'),
    "a program": ("p.py", read_program, lambda: "a = 1\nb = 2\n"),
    "a game of ALYMPICS": (
        "g.json",
        read_alympics,
        lambda: json.dumps(alympics_files.by_the_rules().chats(), indent=1),
    ),
    "a game of GLEE": (
        "config.json",
        lambda path: read_glee(path.parent),
        lambda: json.dumps(glee_files.bargaining((60, 40), "accept").config, indent=1),
    ),
    "a manifest": ("manifest.json", lambda path: read_design(path.parent), lambda: ""),
    "a policy": ("policy.zip", read_metadata, lambda: ""),
}
"""Name of a file, who reads it, and what may stand in it."""

ODD = {
    "a pipe": os.mkfifo,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "huge": lambda path: path.touch() or os.truncate(path, 2**40),
    "a folder": Path.mkdir,
    "no text": lambda path: path.write_bytes(b"\xff\xfe" * 9),
}
"""Files that are none, by what makes them."""


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """Nothing waits for a pipe."""
    signal.alarm(20)
    yield
    signal.alarm(0)


def kept(path: Path, held: str | bytes) -> Path:
    path.write_bytes(held.encode() if isinstance(held, str) else held)
    return path


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("kind", TEXTS)
def test_what_is_no_file_of_its_kind_is_refused_at_once(kind: str, odd: str, tmp_path: Path) -> None:
    name, read, _ = TEXTS[kind]
    ODD[odd](path := tmp_path / name)
    if kind == "records" and odd == "huge":
        return  # these may be of any length; see the test of long lines
    with pytest.raises((ValueError, OSError)) as told:
        read(path)
    assert "\n" not in str(told.value)
    if odd == "huge":
        assert f"{2**40:,}" in str(told.value)
        assert "expected at most " in str(told.value)


READ_ALIKE = [kind for kind, (_, _, made) in TEXTS.items() if made() and kind not in ("a program", "a game of GLEE")]


@pytest.mark.parametrize("kind", READ_ALIKE)
def test_byte_order_marks_and_line_ends_make_no_difference(kind: str, tmp_path: Path) -> None:
    name, read, made = TEXTS[kind]
    text = made()
    (tmp_path / "plain").mkdir()

    def outcome(held: str) -> str:
        try:
            return repr(read(kept(tmp_path / name, held)))
        except ValueError as error:
            return str(error)

    plain = outcome(text)
    if "NUL" not in plain:
        for end in ("\n", "\r\n", "\r"):
            for mark in ("", "\ufeff"):
                assert outcome(mark + text.replace("\n", end)) == plain, (end, mark)


def test_a_line_of_records_ends_in_three_ways_and_is_not_longer_than_it_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_lines, "LARGE_FILE_BYTES", 1_000_000)
    for packed in (False, True):
        path = tmp_path / ("r.jsonl.gz" if packed else "r.jsonl")

        def lines(*parts: bytes, path: Path = path, packed: bool = packed) -> list[tuple[int, bytes]]:
            kept(path, b"".join(compress(parts) if packed else parts))
            return [(number, line.strip()) for number, line in read_lines(path)]

        assert lines(b"\xef\xbb\xbfa\r\nb\rc\n\n", b"d") == [(1, b"a"), (2, b"b"), (3, b"c"), (5, b"d")]
        (_, first), (number, last) = lines(b"x" * 2_345_678, b"\nlast\n")
        assert number == 2
        assert last == b"last"
        assert len(first) < 100_000
        says(first.decode(), f"{LARGE_FILE_BYTES:,}")


def test_records_are_added_to_a_file_with_a_byte_order_mark(tmp_path: Path) -> None:
    record = play_match(BARGAINING, ["spe", "spe"])
    path = kept(tmp_path / "r.jsonl", "\ufeff" + record.to_json() + "\r\n")
    RecordFile(path).append(record)
    assert [*read_record_file(path)] == [record, record]


def test_a_carriage_return_is_text_of_a_cell_in_a_table_with_other_line_ends(tmp_path: Path) -> None:
    for text, rows in (
        ('a,b\nc\rd,"e\r\nf\r"\n', [["a", "b"], ["c\rd", "e\r\nf\r"]]),
        ("a,b\rc,d\r", [["a", "b"], ["c", "d"]]),
        ("a,b\r\nc,d\r\n\r\n", [["a", "b"], ["c", "d"]]),
    ):
        assert [row for _, row in read_csv_rows(kept(tmp_path / "t.csv", text))] == rows


def test_a_message_with_a_carriage_return_is_read_as_it_was_written(tmp_path: Path) -> None:
    folder = glee_files.bargaining((60, 40, "one\rtwo"), "accept").save(tmp_path)
    held = (folder / "game.csv").read_bytes()
    kept(folder / "game.csv", held.replace(b'"one\rtwo"', b"one\rtwo"))
    assert read_glee(folder).rows[0]["message"] == "one\rtwo"


# Games of others: what is no file among them is left out and told


@pytest.mark.parametrize("odd", ODD)
def test_games_that_are_no_files_are_left_out(odd: str, tmp_path: Path) -> None:
    games = tmp_path / "games"
    alympics_files.by_the_rules().save(games)
    ODD[odd](games / "other.json")
    done = import_alympics(games, tmp_path / "a.jsonl")
    assert (done.added, len(done.skipped)) == (1, 1)
    folder = glee_files.bargaining((60, 40), "accept").save(tmp_path / "glee")
    other = glee_files.bargaining((60, 40), "accept").save(tmp_path / "glee", "other")
    (other / "config.json").unlink()
    ODD[odd](other / "config.json")
    done = import_glee(tmp_path / "glee", tmp_path / "g.jsonl")
    assert (done.added, len(done.skipped)) == (1, 1)
    assert folder.is_dir()


# Archives


def zipped(path: Path, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, held in files.items():
            archive.writestr(name, held)
    return path


def test_archives_are_measured_before_they_are_read(tmp_path: Path) -> None:
    bomb = zipped(tmp_path / "a.zip", **{"a.json": bytes(LARGE_FILE_BYTES + 1), "b.json": b"{}"})
    tracemalloc.start()
    done = import_alympics(bomb, tmp_path / "a.jsonl")
    assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    tracemalloc.stop()
    assert len(done.skipped) == 2
    says(done.skipped[0][2], f"{LARGE_FILE_BYTES + 1:,}", f"{LARGE_FILE_BYTES:,}")


def test_archives_of_very_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_MEMBERS == 10_000
    monkeypatch.setattr(files, "MAX_MEMBERS", 20)
    many = zipped(tmp_path / "a.zip", **{f"{number}.json": b"" for number in range(21)})
    with refuses(ValueError, many, 20, 21):
        find_published_games(many)


def test_the_directory_of_an_archive_is_measured_too(tmp_path: Path) -> None:
    held = bytes(DIRECTORY_BYTES + 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(held), 0, 0)
    with refuses(ValueError, "a.zip", f"{DIRECTORY_BYTES:,}", f"{DIRECTORY_BYTES + 1:,}"):
        list_members(kept(tmp_path / "a.zip", held + end))


def test_half_an_archive_and_one_that_is_packed_otherwise_are_refused(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", **{"a.json": b"{}" * 100}).read_bytes()
    for end in range(0, len(whole), 7):
        with refuses(ValueError, "b.zip"):
            list_members(kept(tmp_path / "b.zip", whole[:end]))
    for at in range(len(whole)):
        damaged = kept(tmp_path / "b.zip", whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        try:
            for member in list_members(damaged).values():
                read_text(member)
        except ValueError:
            pass
    with zipfile.ZipFile(tmp_path / "c.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.json", "{}")
    with refuses(ValueError, "c.zip", "a.json"):
        list_members(tmp_path / "c.zip")


def test_policies_that_inflate_are_refused(tmp_path: Path) -> None:
    """As an entry of the file, and as one of the tensors in it."""
    inner = zipped(
        tmp_path / "in.zip", **{"a/data.pkl": b"\x80\x02}q\x00.", "a/data/0": bytes(LARGE_FILE_BYTES)}
    ).read_bytes()
    tracemalloc.start()
    for entry in (METADATA, WEIGHTS, OPTIMIZER):
        with zipfile.ZipFile(path := tmp_path / "policy.zip", "w") as archive:
            archive.writestr(entry, inner)
        with refuses(ValueError, path):
            read_metadata(path) if entry == METADATA else tensors_of(path, entry)
    assert tracemalloc.get_traced_memory()[1] < 4 * 2**20
    tracemalloc.stop()
    with zipfile.ZipFile(tmp_path / "in.zip") as archive:
        packed = archive.read("a/data/0")
    path = zipped(tmp_path / "policy.zip", **{METADATA: packed, WEIGHTS: b"{}"})
    for read in (read_metadata, lambda path: tensors_of(path, WEIGHTS)):
        with refuses(ValueError, path, f"{LARGE_FILE_BYTES:,}"):
            read(path)


def test_limits_are_named(tmp_path: Path) -> None:
    with refuses(ValueError, "a", f"{SMALL_FILE_BYTES + 1:,}", f"{SMALL_FILE_BYTES:,}"):
        read_text(kept(tmp_path / "a", bytes(SMALL_FILE_BYTES + 1)))
    assert len(read_text(kept(tmp_path / "a", b"x" * SMALL_FILE_BYTES))) == SMALL_FILE_BYTES
