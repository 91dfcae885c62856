"""Every reader of files of others on damaged files and on the largest that are allowed: one line, little memory.

Memory is measured in a process of its own, in which nothing else runs.
"""

from __future__ import annotations

import json
import os
import re
import resource
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from econzoo.envs.core import LARGE_FILE_BYTES, SMALL_FILE_BYTES
from econzoo.envs.core.contract.validation import MAX_BRACKETS
from econzoo.envs.core.files import MAX_CELLS, MAX_ROWS, TABLE_BYTES
from security.test_files_from_anywhere import TEXTS

pytestmark = pytest.mark.long

MOST_MEMORY = 512
"""MiB that a reader may take."""

MOST_SECONDS = 60

PARTS = (
    *(
        b"\0",
        b"\r",
        b"\n",
        b"\xff",
        b"\xef\xbb\xbf",
        b"[" * 300,
        b'{"a":' * 300,
        b'"',
        b"'",
        b",",
        b"-",
        b"1e999",
        b"NaN",
    ),
    *(
        "\u2028".encode(),
        b"\x1b[2J",
        b"9" * 5_000,
        b"]",
        b"}",
        b"=",
        b"[[",
        b"&a *a",
        b"..",
        b"\xed\xa0\x80",
        b"#",
        b":",
    ),
)


def damaged(whole: bytes, luck: Random) -> bytes:
    """A few bytes changed, cut out, put in or doubled."""
    held = bytearray(whole)
    for _ in range(luck.randint(1, 4)):
        start = luck.randrange(len(held) + 1)
        end = min(len(held), start + luck.choice((0, 1, 1, 5, 200)))
        held[start:end] = luck.choice(PARTS) if luck.random() < 0.7 else bytes(held[start:end] * 2)
    return bytes(held)


@pytest.mark.parametrize("kind", TEXTS)
def test_damaged_files_are_read_or_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    name, read, made = TEXTS[kind]
    luck, whole = Random(kind), made().encode() or b"{}"
    for number in range(300):
        (tmp_path / name).write_bytes(damaged(whole, luck))
        began, told = time.perf_counter(), ""
        try:
            read(tmp_path / name)
        except (ValueError, OSError) as error:
            told = str(error)
        assert "\n" not in told, (kind, number, told)
        assert len(told) < 2_000, (kind, number)
        assert time.perf_counter() - began < MOST_SECONDS


def repeated(part: str, size: int, start: str = "", end: str = "", most: int = 2**62) -> bytes:
    """As often as it goes into a file of so many bytes and as is allowed, and blanks behind it."""
    room = size - len(start.encode()) - len(end.encode())
    held = (start + part * min(room // len(part.encode()), most) + end).encode()
    return held + b" " * (size - len(held)) * (most < 2**62)


def numbered(part: str, size: int, start: str = "", end: str = "", most: int = 2**62) -> bytes:
    """The same with other numbers in it."""
    count = min(size // (len(part.encode()) + 6), most)
    return (start + "".join(part.format(number) for number in range(count)) + end).encode()


def large(kind: str) -> Iterator[bytes]:
    """Files that are as large as can be, of what takes most memory."""
    name = TEXTS[kind][0]
    if name.endswith((".json", ".jsonl")):
        for part in ("[],", "{},", '{"a":1},', '{"a":[]},', "1.5,", '"\u03c0",', '"ab",', "10000,"):
            most = MAX_BRACKETS // max(part.count("[") + part.count("{"), 1) - 9
            yield repeated(part, LARGE_FILE_BYTES, "[", "0]", most)
        yield numbered('"\u03c0{}":"\u03c0",', LARGE_FILE_BYTES, "{", '"":0}', MAX_BRACKETS - 9)
        yield numbered('{{"a":{}}}\n', LARGE_FILE_BYTES)
        yield repeated("[", LARGE_FILE_BYTES, "[", "0]")
        yield repeated("x", LARGE_FILE_BYTES, '"', '"')
    elif name.endswith(".csv"):
        head = TEXTS[kind][2]().split("\n")[0] + "\n"
        cells = head.count(",")
        for part in ("a,", "\u03c0,", '"', '""', '"\n"', " "):
            yield repeated(part, TABLE_BYTES, head, "", MAX_CELLS - 9)
        yield repeated("a\n", TABLE_BYTES, head, "", MAX_ROWS - 9)
        yield numbered("{}" + ",1" * cells + "\n", TABLE_BYTES, head, "", min(MAX_ROWS, MAX_CELLS // max(cells, 1)) - 9)
    elif name.endswith((".toml", ".yaml", ".py")):
        for part in ("[a]\n", "[[a]]\n", "a", "- a\n", "[a,", "a: ", "#", "\n", "'''", '"', "{", "("):
            yield repeated(part, SMALL_FILE_BYTES)
        yield numbered("a{} = 1\n", SMALL_FILE_BYTES)
        yield numbered("[a.b.c{}]\nx = [1]\n", SMALL_FILE_BYTES)
        yield repeated("[],", SMALL_FILE_BYTES, "a = [", "]")
        yield repeated("-", SMALL_FILE_BYTES - 100, "a = ", "1")
        yield repeated("- [a, b]\n", 2**18 - 9)
        for start, end in (("", "b = 1"), ("[", "b]"), ("a = {", "b = 1}"), ("a = [{b = 1}, {", "b = 1}]")):
            yield repeated("a.", SMALL_FILE_BYTES, start, end)


def measured(read: Callable[[Path], object], path: Path) -> tuple[float, float]:
    """MiB and seconds that reading takes, in a process of its own."""
    out, into = os.pipe()
    if not (child := os.fork()):
        Path("/proc/self/clear_refs").write_text("5")
        began, before = time.perf_counter(), peak()
        with suppress(ValueError, OSError):
            read(path)
        os.write(into, f"{peak() - before} {time.perf_counter() - began}".encode())
        os._exit(0)
    os.close(into)
    os.waitpid(child, 0)
    with os.fdopen(out) as file:
        memory, seconds = map(float, file.read().split())
    return memory, seconds


def peak() -> float:
    """MiB that this process has taken at most."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="memory is measured as Linux tells it")
@pytest.mark.parametrize("kind", TEXTS)
def test_large_files_take_little_memory_and_time(kind: str, tmp_path: Path) -> None:
    name, read, made = TEXTS[kind]
    (tmp_path / name).write_text(made() or "{}")
    with suppress(ValueError, OSError):
        read(tmp_path / name)  # imports what it needs
    for number, held in enumerate(large(kind)):
        (tmp_path / name).write_bytes(held)
        memory, seconds = measured(read, tmp_path / name)
        print(f"{kind}: {held[:20]!r}: {memory:.0f} MiB, {seconds:.1f} s")
        assert memory < MOST_MEMORY, (kind, number, held[:60])
        assert seconds < MOST_SECONDS, (kind, number, held[:60])


def test_damaged_archives_are_read_or_refused(tmp_path: Path) -> None:
    from econzoo.baselines import METADATA, WEIGHTS, read_metadata, tensors_of
    from econzoo.evaluate.formats.alympics import import_games

    path, luck = tmp_path / "policy.zip", Random(1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(METADATA, json.dumps({"format": 2}))
        archive.writestr(WEIGHTS, b"PK")
        archive.writestr("a.json", "{}")
    whole, before = path.read_bytes(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(1_000):
        path.write_bytes(damaged(whole, luck))
        for read in (
            read_metadata,
            lambda path: tensors_of(path, WEIGHTS),
            lambda path: import_games(path, tmp_path / "out.jsonl"),
        ):
            with suppress(ValueError, OSError):
                read(path)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MOST_MEMORY
