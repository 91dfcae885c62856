"""The lines of files of records, plain or compressed."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from econzoo.envs.core.files import LARGE_FILE_BYTES, open_file

RECORD_SUFFIX = ".jsonl"
"""How the names of files of records end."""

GZIP_SUFFIX = ".gz"
"""What follows where a file is compressed by gzip."""

BLOCK = 1 << 16

TORN_MARK = b" (the compressed file was cut off here)"
"""What follows the last whole character of a file that is not whole; with it no line is a record."""

TOO_LONG_MARK = f" (the line has more than {LARGE_FILE_BYTES:,} bytes)\n".encode()
"""What follows the beginning of a line that is too long."""


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its name."""
    return path.suffix == GZIP_SUFFIX


def is_record_file(path: Path) -> bool:
    """Whether a file holds records, compressed or not, by its name."""
    return path.name.endswith((RECORD_SUFFIX, RECORD_SUFFIX + GZIP_SUFFIX))


def check_appendable(path: Path) -> None:
    """Raises `ValueError` if a file is compressed: it is read and never added to."""
    if is_compressed(path):
        plain = path.with_suffix("")
        raise ValueError(f"{path}: compressed files of records are only read; allowed: {plain}, and convert it then")


def record_paths(folder: Path, prefix: str = "", recursive: bool = False) -> list[Path]:
    """The files of records in a folder, in order.

    Args:
        folder: The folder.
        prefix: What their names begin with.
        recursive: Whether those in folders below it count, too.
    """
    search = folder.rglob if recursive else folder.glob
    return sorted(path for ending in ("", GZIP_SUFFIX) for path in search(f"{prefix}*{RECORD_SUFFIX}{ending}"))


def _raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their breaks; the last one may have been torn by a kill."""
    with open_file(path) as plain:
        file = io.BufferedReader(_Blocks(_decompress(plain)), BLOCK) if is_compressed(path) else plain
        while line := file.readline(LARGE_FILE_BYTES):
            if len(line) == LARGE_FILE_BYTES and not line.endswith(b"\n"):
                while (more := file.readline(LARGE_FILE_BYTES)) and not more.endswith(b"\n"):
                    pass
                line = line[:BLOCK] + TOO_LONG_MARK
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


def _decompress(file: BinaryIO) -> Iterator[bytes]:
    """What is in a compressed file, or in several in a row; `TORN_MARK` at the end of one that is not whole."""
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
    yield TORN_MARK


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
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
