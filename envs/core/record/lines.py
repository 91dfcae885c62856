"""The lines of files of records, plain or compressed."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from econzoo.envs.core.files import LARGE, open_file

RECORDS = ".jsonl"
"""How the names of files of records end."""

COMPRESSED = ".gz"
"""What follows where a file is compressed by gzip."""

BLOCK = 1 << 16

TORN = b" (the compressed file was cut off here)"
"""What follows the last whole character of a file that is not whole; with it no line is a record."""

TOO_LONG = f" (the line has more than {LARGE:,} bytes)\n".encode()
"""What follows the beginning of a line that is too long."""


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its name."""
    return path.suffix == COMPRESSED


def is_records(path: Path) -> bool:
    """Whether a file holds records, compressed or not, by its name."""
    return path.name.endswith((RECORDS, RECORDS + COMPRESSED))


def check_appendable(path: Path) -> None:
    """Raises `ValueError` if a file is compressed: it is read and never added to."""
    if is_compressed(path):
        plain = path.with_suffix("")
        raise ValueError(f"{path}: compressed files of records are only read; allowed: {plain}, and convert it then")


def record_paths(folder: Path, start: str = "", below: bool = False) -> list[Path]:
    """The files of records in a folder, in order.

    Args:
        folder: The folder.
        start: What their names begin with.
        below: Whether those in folders below it count, too.
    """
    search = folder.rglob if below else folder.glob
    return sorted(path for ending in ("", COMPRESSED) for path in search(f"{start}*{RECORDS}{ending}"))


def _raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their breaks; the last one may have been torn by a kill."""
    with open_file(path) as plain:
        file = io.BufferedReader(_Blocks(_unpacked(plain)), BLOCK) if is_compressed(path) else plain
        while line := file.readline(LARGE):
            if len(line) == LARGE and not line.endswith(b"\n"):
                while (more := file.readline(LARGE)) and not more.endswith(b"\n"):
                    pass
                line = line[:BLOCK] + TOO_LONG
            yield from line.splitlines(keepends=True) if b"\r" in line else (line,)


class _Blocks(io.RawIOBase):
    """A file that comes in blocks."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks, self._rest = blocks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._blocks, b"")
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """What is in a compressed file, or in several behind one another; `TORN` at the end of one that is not whole."""
    unpack = None
    with suppress(zlib.error):
        while packed := file.read(BLOCK):
            while packed:
                unpack = unpack or zlib.decompressobj(wbits=31)
                if found := unpack.decompress(packed, BLOCK):
                    yield found
                packed, unpack = unpack.unconsumed_tail or unpack.unused_data, None if unpack.eof else unpack
        if unpack is None:
            return
    yield TORN


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers; without a byte order mark.

    One of more than `LARGE` bytes is cut, and is no record.
    """
    for number, line in enumerate(_raw_lines(path), start=1):
        held = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if held.strip():
            yield number, held


def compress(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines as gzip packs them, the same bytes for the same lines."""
    pack = zlib.compressobj(wbits=31)
    yield from (part for line in lines if (part := pack.compress(line)))
    yield pack.flush()
