"""Lines of record files, plain or compressed."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from econzoo.envs.core import LARGE_FILE_BYTES, open_file

RECORD_SUFFIX = ".jsonl"
"""Suffix of record files."""

GZIP_SUFFIX = ".gz"
"""Additional suffix of gzip-compressed files."""

BLOCK = 1 << 16

TORN_MARK = b" (the compressed file was cut off here)"
"""Appended to the last complete character of a torn file, so that its last line is not a valid record."""

TOO_LONG_MARK = f" (the line has more than {LARGE_FILE_BYTES:,} bytes)\n".encode()
"""Appended to the beginning of a line that is too long."""


def is_compressed(path: Path) -> bool:
    """Whether a file name is that of a compressed file."""
    return path.suffix == GZIP_SUFFIX


def is_record_file(path: Path) -> bool:
    """Whether a file name is that of a record file, compressed or not."""
    return path.name.endswith((RECORD_SUFFIX, RECORD_SUFFIX + GZIP_SUFFIX))


def check_appendable(path: Path) -> None:
    """Raise `ValueError` for compressed files, which cannot be appended to."""
    if is_compressed(path):
        plain = path.with_suffix("")
        raise ValueError(f"{path}: compressed record files are read-only; write to {plain} and convert it afterwards")


def record_paths(folder: Path, prefix: str = "", recursive: bool = False) -> list[Path]:
    """List the record files in a folder, sorted."""
    search = folder.rglob if recursive else folder.glob
    return sorted(path for ending in ("", GZIP_SUFFIX) for path in search(f"{prefix}*{RECORD_SUFFIX}{ending}"))


def _raw_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file with line breaks; the last one may be torn."""
    with open_file(path) as plain:
        file = io.BufferedReader(_Blocks(_decompress(plain)), BLOCK) if is_compressed(path) else plain
        while line := file.readline(LARGE_FILE_BYTES):
            # The rest of an endless line is read in parts and dropped.
            if len(line) == LARGE_FILE_BYTES and not line.endswith(b"\n"):
                while (more := file.readline(LARGE_FILE_BYTES)) and not more.endswith(b"\n"):
                    pass
                line = line[:BLOCK] + TOO_LONG_MARK
            # JSON escapes carriage returns, so one in a line is the line end of a converted file.
            yield from line.splitlines(keepends=True) if b"\r" in line else (line,)


class _Blocks(io.RawIOBase):
    """File object over an iterator of blocks."""

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
    """Yield blocks of a (concatenated) gzip file, with `TORN_MARK` at the end if it is torn."""
    unpack = None
    with suppress(zlib.error):
        while packed := file.read(BLOCK):
            while packed:
                # By blocks of limited size in both directions: a small file can unpack to a huge one.
                unpack = unpack or zlib.decompressobj(wbits=31)
                if found := unpack.decompress(packed, BLOCK):
                    yield found
                packed, unpack = unpack.unconsumed_tail or unpack.unused_data, None if unpack.eof else unpack
        if unpack is None:
            return
    yield TORN_MARK


def read_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (number, line) of the non-blank lines of a file, without a byte order mark.

    Lines of more than `LARGE_FILE_BYTES` bytes are truncated and not valid records.
    """
    for number, line in enumerate(_raw_lines(path), start=1):
        held = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        if held.strip():
            yield number, held


def compress(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Compress lines with gzip, deterministically."""
    # zlib leaves time and name out of the header, unlike the module gzip.
    pack = zlib.compressobj(wbits=31)
    yield from (part for line in lines if (part := pack.compress(line)))
    yield pack.flush()
