"""What is written is whole or not there, whatever becomes of the disk, and names of files are harmless when shown."""

from __future__ import annotations

import io
import os
import resource
import signal
import stat
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import glee_files
import pytest

from econzoo.__main__ import main
from econzoo.envs.core import append_file, atomic_write, escape_name, write_file, write_files
from econzoo.envs.core.record import RecordFile, read_record_file
from econzoo.evaluate.run import open_writer, play_match, seal_records
from econzoo.evaluate.show import write_csv
from refusals import refuses

NAME = "\x1b]0;OWNED\x07\x1b[2J\u202e\n.x"
"""A name that renames a terminal and clears it."""


@contextmanager
def room_for(size: int) -> Iterator[None]:
    """No file can become larger than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# The writer


def test_a_file_that_does_not_fit_is_not_there_and_an_older_one_stays(tmp_path: Path) -> None:
    new, old = tmp_path / "below" / "new", write_file(tmp_path / "old", "old")
    for path in (new, old):
        with room_for(10), refuses(OSError, path):
            write_file(path, "x" * 11)
    assert files_in(tmp_path) == {"old": b"old"}
    with room_for(10), refuses(OSError, tmp_path / "b"):
        write_files({tmp_path / "a": "x", tmp_path / "b": "x" * 11, tmp_path / "c": "x"})
    assert files_in(tmp_path) == {"old": b"old"}
    write_files({tmp_path / "a": "x", old: "y" * 11})
    assert files_in(tmp_path) == {"old": b"y" * 11, "a": b"x"}


def test_long_names_that_begin_alike_are_different_files(tmp_path: Path) -> None:
    files = {tmp_path / f"{sign * 60}{number}": f"{number}" for sign in "x\u4e2d" for number in range(3)}
    write_files(files)
    assert {path: path.read_text() for path in tmp_path.iterdir()} == files


def test_half_a_surrogate_pair_is_written_as_its_escape(tmp_path: Path) -> None:
    """As in a name of a file that is not UTF-8: two such names stay different."""
    for half in ("\udcff", "\udcfe"):
        escape = half.encode(errors="backslashreplace")
        assert write_file(tmp_path / "a", half).read_bytes() == escape
        append_file(tmp_path / "a", half)
        assert (tmp_path / "a").read_bytes() == escape * 2
        assert write_csv(tmp_path / "b", ["x"], [[half]]).read_bytes().split() == [b"x", escape]


def test_work_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), atomic_write(tmp_path / "a") as part:
        part.write_text(f"half{1 // 0}")
    assert files_in(tmp_path) == {}


def test_what_a_killed_process_left_is_removed_by_the_next_that_writes(tmp_path: Path) -> None:
    """Of this machine at once, unless its process runs; of others, whose processes nobody can ask for, after a day."""
    script = "import os; from econzoo.envs.core import atomic_write\nwith atomic_write('a') as part: os.abort()"
    killed = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False, capture_output=True)
    (left,) = tmp_path.iterdir()
    assert (killed.returncode, left.suffix) == (-signal.SIGABRT, ".part")
    machine, process, number = left.name.split(".")[1].split("-")
    others = [f"a.{'0' * 8}-{process}-{number}.part", f"a.{machine}-{os.getppid()}-0.part", "mine.part", "a.1-2.part"]
    for name in (*others, old := f"b.{'0' * 8}-1-0.part"):
        (tmp_path / name).touch()
    os.utime(tmp_path / old, (0, 0))
    with atomic_write(tmp_path / "b") as part:
        write_file(tmp_path / "a", "new")
        assert {path.name for path in tmp_path.iterdir()} == {"a", part.name, *others}


def test_what_is_there_is_not_replaced_where_it_may_not_be(tmp_path: Path) -> None:
    write_file(tmp_path / "a", "first", must_be_new=True)
    for _ in range(2):
        with refuses(FileExistsError, tmp_path / "a"):
            write_file(tmp_path / "a", "second", must_be_new=True)
    assert files_in(tmp_path) == {"a": b"first"}


def test_of_several_writers_one_makes_a_new_file(tmp_path: Path) -> None:
    made: list[str] = []

    def write(name: str) -> None:
        try:
            write_file(tmp_path / "a", name * 100, must_be_new=True)
            made.append(name * 100)
        except FileExistsError:
            pass

    threads = [Thread(target=write, args=(name,)) for name in "abcdefgh"]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert files_in(tmp_path) == {"a": made[0].encode()}
    assert len(made) == 1


def test_who_may_read_a_file_stays(tmp_path: Path) -> None:
    secret = write_file(tmp_path / "a", "1", mode=0o600)
    write_file(secret, "2")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_links_and_devices_are_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "there")
    write_file(tmp_path / "link", "x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_text() == "x"
    write_file("/dev/null", "x")
    assert not Path("/dev/null").is_file()
    os.mkfifo(tmp_path / "pipe")
    for write in (write_file, append_file):
        with refuses(OSError, tmp_path / "pipe"):
            write(tmp_path / "pipe", "nobody reads this")
    with ThreadPoolExecutor() as readers:
        read = readers.submit((tmp_path / "pipe").read_bytes)
        while not read.done():
            with suppress(OSError):
                write_file(tmp_path / "pipe", "x")
    assert {*read.result()} == {*b"x"}
    if Path("/dev/full").exists():
        with refuses(OSError, "/dev/full"):
            write_file("/dev/full", "x")


def test_half_a_line_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "a"
    append_file(path, "one\n")
    with room_for(6), refuses(OSError, path):
        append_file(path, "two\n")
    assert path.read_text() == "one\n"


def test_records_and_seals_stay_whole(tmp_path: Path) -> None:
    record, path = play_match("bargaining", ["spe", "spe"]), tmp_path / "r.jsonl"
    RecordFile(path).append(record)
    size = path.stat().st_size
    with room_for(size + 100), refuses(OSError, path):
        RecordFile(path).append(record)
    with open_writer(path) as file, room_for(size + 100), refuses(OSError, path):
        file.append([record.to_json()])
    assert [*read_record_file(path)] == [record]
    with room_for(20), refuses(OSError, f"{path}.seal"):
        seal_records(path)
    assert seal_records(path).lines == 1


# Commands


def econzoo(*words: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main([*words])
    return int(ended.value.code or 0)


COMMANDS = {
    "study init": (["study", "init", "bargaining", "--out", "new.toml"], 4_000),
    "study plan": (["study", "plan", "study.toml", "--preregistration", "plan.md"], 100),
    "study export": (["study", "export", "study.toml", "--format", "otree", "--out", "otree"], 5_000),
    "new-game": (["new-game", "aha", "--out", "aha"], 1_000),
    "show": (["show", "bargaining", "--prompts", "p.toml"], 100),
    "play": (["play", "bargaining", "spe", "fair", "--out", "new.jsonl"], 100),
    "convert to tables": (["convert", "r.jsonl", "tables", "--to", "csv"], 100),
    "convert to GLEE": (["convert", "r.jsonl", "glee", "--to", "glee"], 100),
    "convert to one file": (["convert", "r.jsonl", "r.jsonl", "one.jsonl"], 100),
    "convert from GLEE": (["convert", "games", "games.jsonl"], 100),
    "seal": (["replay", "--seal", "r.jsonl"], 20),
}
"""The words of a command, and room that is not enough."""

SLOW = {
    "tournament": (["tournament", "bargaining", "spe", "fair", "--seeds", "1", "--out", "t", "--yes"], 900),
    "tournament, its manifest": (["tournament", "bargaining", "spe", "fair", "--seeds", "1", "--out", "t"], 100),
    "tournament in processes": (["tournament", "bargaining", "spe", "fair", "--out", "t", "--jobs", "2"], 9_000),
    "analyze": (["analyze", "r.jsonl", "summary"], 1_000),
    "convert to Parquet": (["convert", "r.jsonl", "tables", "--to", "parquet"], 100),
    "convert to Stata": (["convert", "r.jsonl", "tables", "--to", "stata"], 100),
    "train ppo": (
        [
            *(
                "train",
                "ppo",
                "bargaining",
                "--opponents",
                "fair",
                "--timesteps",
                "16",
                "--n-envs",
                "2",
                "--n-steps",
                "8",
            ),
            *("--batch-size", "16", "--epochs", "1", "--net", "4", "--eval-episodes", "2", "--algorithm", "sb3"),
            *("--out", "p"),
        ],
        9_000,
    ),
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert econzoo("study", "init", "bargaining", "--out", "study.toml") == 0
    RecordFile(folder / "r.jsonl").append(play_match("bargaining", ["spe", "spe"], channel="off"))
    glee_files.bargaining((60, 40), "accept").save(folder / "games")
    return files_in(folder)


@pytest.mark.parametrize("command", [*COMMANDS, *(pytest.param(one, marks=pytest.mark.slow) for one in SLOW)])
def test_after_a_full_disk_the_same_command_goes_on(
    command: str,
    prepared: dict[str, bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words, room = {**COMMANDS, **SLOW}[command]
    ends = []
    for full in (True, False):
        (folder := tmp_path / f"{full}").mkdir()
        for name, held in prepared.items():
            write_file(folder / name, held)
        monkeypatch.chdir(folder)
        if full:
            with room_for(room):
                assert econzoo(*words) == 1
            said = capsys.readouterr().err.strip().splitlines()[-1]
            assert said.endswith("no space left on device; free some and rerun the command to resume")
            assert not [*folder.rglob("*.part")]
        assert econzoo(*words) == 0
        # records tell seconds, names of logs the time, and manifests how far the run was when it began last
        found = {name: "jsonl" in name or "manifest" in name or len(held) for name, held in files_in(folder).items()}
        ends.append({name: held for name, held in found.items() if "tensorboard" not in name})
    assert ends[0] == ends[1]


# Names of files


def test_a_terminal_that_has_few_characters_gets_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a pipe on Windows, where Python writes in the code page of the system."""
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, "ascii"))
    monkeypatch.setattr("sys.argv", ["econzoo", "show", "public_goods"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert rb"Fehr and G\xe4chter (2000)" in written.getvalue()


def test_names_are_shown_with_what_does_not_print_escaped() -> None:
    assert escape_name("a b\u00e9/\u4e2d") == "a b\u00e9/\u4e2d"
    assert escape_name(NAME) == "\\x1b]0;OWNED\\x07\\x1b[2J\\u202e\\n.x"
    assert escape_name("\udcff") == "\\udcff"


def archived(path: Path) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr(f"{NAME}.json", "{}")
    path.write_bytes(held.getvalue())


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files that have such names."""
    monkeypatch.chdir(tmp_path)
    for ending in ("jsonl", "toml", "csv", "json", "yaml"):
        (tmp_path / f"{NAME}.{ending}").write_text("{")
    archived(tmp_path / "a.zip")
    (tmp_path / "games" / NAME).mkdir(parents=True)
    (tmp_path / "games" / NAME / "config.json").write_text("{")
    (tmp_path / "chats").mkdir()
    (tmp_path / "chats" / f"{NAME}.json").write_text("{")
    RecordFile(tmp_path / f"{NAME}r.jsonl").append(play_match("bargaining", ["spe", "spe"]))
    return tmp_path


NAMED = [
    ["convert", "a.zip", "o.jsonl", "--from", "alympics"],
    ["convert", "chats", "o.jsonl", "--from", "alympics"],
    ["convert", "games", "o.jsonl", "--from", "glee"],
    ["convert", f"{NAME}.jsonl", "o.jsonl"],
    ["convert", f"{NAME}r.jsonl", f"{NAME}tables", "--to", "csv"],
    ["convert", f"{NAME}r.jsonl", f"{NAME}one.jsonl", "--to", "records"],
    ["replay", "."],
    ["replay", f"{NAME}.jsonl"],
    ["replay", f"{NAME}r.jsonl"],
    ["replay", "--seal", f"{NAME}r.jsonl"],
    ["replay", "--expect", "0", f"{NAME}r.jsonl"],
    ["play", "bargaining", "spe", "fair", "--out", f"{NAME}r.jsonl"],
    ["play", "bargaining", "spe", "fair", "--out", f"{NAME}.csv"],
    ["play", "--resume", f"{NAME}.jsonl"],
    ["play", "bargaining", f"ppo:{NAME}.json", "fair"],
    ["play", "bargaining", "spe", "fair", "-p", f"prompts={NAME}.toml"],
    ["run", f"{NAME}.toml"],
    ["analyze", f"{NAME}.jsonl"],
    ["judge", f"{NAME}r.jsonl", "--judges", "mock", "--rubric", f"{NAME}.toml"],
    ["judge", "--report", f"{NAME}.jsonl"],
    ["study", "plan", f"{NAME}.toml"],
    ["study", "init", "bargaining", "--out", f"{NAME}new.toml"],
    ["study", "export", NAME],
    ["new-game", "aha", "--out", NAME],
    ["show", "bargaining", "--prompts", f"{NAME}p.toml"],
    ["tournament", "bargaining", "spe", "--config", f"{NAME}.yaml"],
    ["tournament", "bargaining", "spe", "--markets", f"{NAME}.json"],
]


@pytest.mark.slow
def test_no_command_shows_a_name_that_changes_the_terminal(named: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in NAMED:
        econzoo(*words)
        told = capsys.readouterr()
        for text in told:
            assert not {*text} & {"\x1b", "\x07", "\u202e", "\r"}, (words, text)
        assert told.out or told.err, words
    assert named.is_dir()
