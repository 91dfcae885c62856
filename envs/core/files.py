"""Files: the one way in for what others have written, and the one way out for what is written here.

What is read may be anything that somebody has left there, so it is a regular file of a size that its kind can have,
UTF-8 with or without a byte order mark, its lines ended by LF, CRLF or CR. What is written stands beside its place
until it is whole, so that nobody takes half of it for all.
"""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

SMALL_FILE_BYTES = 2**20
"""Bytes of a file that people write: options, a study, prompts, personas, a rubric, a sheet of ratings."""

LARGE_FILE_BYTES = 2**25
"""Bytes of a file that programs write: markets, chats, a table, and a line of records."""

TABLE_BYTES, MAX_ROWS, MAX_CELLS = 2**24, 2**19, 2**20
"""Bytes, lines and commas of a table."""

ARCHIVE_BYTES, DIRECTORY_BYTES, MAX_MEMBERS = 2**30, 2**22, 10_000
"""Bytes of an archive, and of all that is in it; of its directory, which is read at once; files in it."""

DISK_FULL_ERRORS = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of a full disk."""

CR = "\udc0d"
"""Stands for a carriage return that is text; no text in UTF-8 has it."""

ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, IndexError, OverflowError),
    *(NotImplementedError, RuntimeError, ValueError, OSError),
)
"""What reading an archive raises that is none, or is damaged, packed otherwise or encrypted."""


def escape_name(path: object) -> str:
    """The name of a file as messages show it: what does not print is escaped."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in str(path))


# In


class UnreadableError(ValueError):
    """A file cannot be read; `why` is the reason without the name of the file."""

    def __init__(self, path: object, why: object) -> None:
        self.why = str(why)
        super().__init__(f"{escape_name(path)} cannot be read: {why}")


def reason(error: Exception) -> str:
    """Why a file cannot be read, without its name."""
    return getattr(error, "strerror", None) or getattr(error, "why", None) or str(error)


@contextmanager
def wrap_read_errors(path: object, *kinds: type[Exception]) -> Iterator[None]:
    """Raises `UnreadableError` in place of errors by which a library says that a file is damaged."""
    try:
        yield
    except kinds as error:
        raise UnreadableError(path, error) from None


def open_file(path: str | Path, max_bytes: int = sys.maxsize) -> io.BufferedReader:
    """A file, open for reading.

    Args:
        path: The file, or a link to it.
        max_bytes: Bytes that it may have.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is a device, a pipe or the like, or too large.
    """
    file = open(path, "rb", opener=_open_nonblocking)  # noqa: SIM115 (the caller closes it)
    found = os.fstat(file.fileno())
    wrong = "" if stat.S_ISREG(found.st_mode) else "it is no regular file"
    if not wrong and found.st_size > max_bytes:
        wrong = f"it has {found.st_size:,} bytes; allowed: {max_bytes:,}"
    if wrong:
        file.close()
        raise UnreadableError(path, wrong)
    return file


def _open_nonblocking(path: str, flags: int, mode: int = 0o666) -> int:
    """Opens a file; of a pipe nobody waits for its other end."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), mode)


class Member(NamedTuple):
    """A file in an archive.

    Attributes:
        archive: Open, as long as one of its members is there.
        place: Where the archive lies.
        info: What its directory says of the member.
    """

    archive: zipfile.ZipFile
    place: str
    info: zipfile.ZipInfo

    @property
    def stem(self) -> str:
        """Its name without folder and ending."""
        return Path(self.info.filename).stem

    def __str__(self) -> str:
        return f"{self.place}/{self.info.filename}"


def read_bytes(path: str | Path | Member, max_bytes: int = SMALL_FILE_BYTES) -> bytes:
    """What a file holds.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no regular file, is too large, or is a damaged member of an archive.
    """
    if not isinstance(path, Member):
        with open_file(path, max_bytes) as file:
            return file.read(max_bytes)
    if path.info.file_size > max_bytes:
        raise UnreadableError(path, f"it has {path.info.file_size:,} bytes; allowed: {max_bytes:,}")
    with wrap_read_errors(path, *ARCHIVE_ERRORS):
        return path.archive.read(path.info)


def read_text(path: str | Path | Member, max_bytes: int = SMALL_FILE_BYTES) -> str:
    """The text of a file, its lines ended by LF.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is not UTF-8, or see `read_bytes`.
    """
    return _decode_file(path, max_bytes).replace("\r\n", "\n").replace("\r", "\n")


def _decode_file(path: str | Path | Member, most: int) -> str:
    held = read_bytes(path, most)
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(path, f"it is not UTF-8: {error.reason} at byte {error.start}") from None


def read_csv_rows(
    path: str | Path, max_bytes: int = TABLE_BYTES, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The number of the line, 1-based, and the cells of each row of a CSV file that has any.

    In a file with other line ends a carriage return alone is text of its cell.

    Args:
        path: The file.
        max_bytes: Bytes that it may have.
        strict: Whether signs behind a closing quote are refused.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no table, or see `read_text`.
    """
    text = _decode_file(path, max_bytes)
    if max(text.count("\n"), text.count("\r")) > MAX_ROWS or text.count(",") > MAX_CELLS:
        allowed = f"{MAX_ROWS:,} lines and {MAX_CELLS:,} commas"
        raise UnreadableError(path, f"it is too long for a table; allowed: {allowed}")
    alone = "\r" in text and "\n" in text
    table = csv.reader(io.StringIO(re.sub("\r(?!\n)", CR, text) if alone else text, newline=""), strict=strict)
    try:
        for row in table:
            if row:
                yield table.line_num, [cell.replace(CR, "\r") for cell in row] if alone else row
    except csv.Error as error:
        raise ValueError(f"{escape_name(path)}, line {table.line_num}: not CSV: {error}") from None


class _LimitedReader:
    """An open file of which no more than `max_read` bytes are read at once."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self.max_read = file, most

    def read(self, size: int = -1) -> bytes:
        if size > self.max_read:
            raise zipfile.BadZipFile(f"its directory has {size:,} bytes; allowed: {self.max_read:,}")
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __del__(self) -> None:
        self._file.close()


def list_members(path: str | Path, content: bytes | None = None, factor: int = 0) -> dict[str, Member]:
    """The files in an archive by name, counted and measured before any of them is read.

    Args:
        path: The archive.
        content: What it holds, if it was read before.
        factor: How many times its own size the inflated one may be, or `LARGE`; 0: up to `ARCHIVE_BYTES` bytes.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no archive, or one that is too large.
    """
    file = open_file(path, ARCHIVE_BYTES) if content is None else io.BytesIO(content)
    most = max(LARGE_FILE_BYTES, factor * file.seek(0, os.SEEK_END)) if factor else ARCHIVE_BYTES
    guarded = _LimitedReader(file, DIRECTORY_BYTES)
    with wrap_read_errors(path, *ARCHIVE_ERRORS):
        archive = zipfile.ZipFile(guarded)  # type: ignore[call-overload]
        guarded.max_read = sys.maxsize
        found = [info for info in archive.infolist() if not info.is_dir()]
        if len(found) > MAX_MEMBERS:
            raise ValueError(f"it has {len(found):,} files; allowed: {MAX_MEMBERS:,}")
        if (total := sum(info.file_size for info in found)) > most:
            raise ValueError(f"it holds {total:,} bytes; allowed: {most:,}")
        others = [one.filename for one in found if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
        if others:
            raise ValueError(f"{escape_name(others[0])} is packed in another way than zip's own")
    return {info.filename: Member(archive, str(path), info) for info in found}


# Out


@contextmanager
def add_path_to_errors(path: str | Path, part: str | Path = "") -> Iterator[None]:
    """Puts the name of a file that is written into errors that have none, or that of its `part`."""
    try:
        yield
    except OSError as error:
        if error.errno is None or str(error.filename or part) != str(part):
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from None


_NUMBERS = count()
"""Tell the drafts of a process apart."""


@contextmanager
def atomic_write(path: str | Path, must_be_new: bool = False, mode: int = 0o666) -> Iterator[Path]:
    """A file beside another one, which takes its place when it is whole, and goes if it does not become so.

    Args:
        path: Where it is to stand, in a folder that is made if there is none. A device or pipe is written to directly.
        must_be_new: Whether nothing may stand there yet.
        mode: Who may read and write a new file, less what the process never allows.

    Raises:
        FileExistsError: Something stands there that may not.
        OSError: There is no room for it, or it may not be written; names the file.
    """
    place = Path(os.path.realpath(path))
    if must_be_new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    if place.exists() and not place.is_file():
        with add_path_to_errors(path, place):
            handle = _open_nonblocking(str(place), os.O_WRONLY)  # refuses a pipe that nobody reads
            try:
                yield place
            finally:
                os.close(handle)
        return
    part = place.with_name(f"{place.name[:50]}.{os.getpid()}-{next(_NUMBERS)}.part")
    with add_path_to_errors(path, part):
        place.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)  # of a process that was killed
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        try:
            if place.exists():
                part.chmod(stat.S_IMODE(place.stat().st_mode))
            yield part
            (_move_if_absent if must_be_new else os.replace)(part, place)
        finally:
            with suppress(OSError):
                part.unlink()


def _move_if_absent(part: Path, place: Path) -> None:
    try:
        os.link(part, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.replace(part, place)


def write_file(path: str | Path, content: str | bytes, must_be_new: bool = False, mode: int = 0o666) -> Path:
    """Writes a file, whole or not at all; texts in UTF-8, half a surrogate pair as its escape. See `draft`."""
    with atomic_write(path, must_be_new, mode) as part:
        part.write_bytes(_encode(content))
    return Path(path)


def _encode(held: str | bytes) -> bytes:
    return held.encode(errors="backslashreplace") if isinstance(held, str) else held


def write_files(files: Mapping[Path, str | bytes], must_be_new: bool = False) -> None:
    """Writes several files, all of them or none; see `draft`."""
    with ExitStack() as drafts:
        for path, held in files.items():
            part = drafts.enter_context(atomic_write(path, must_be_new))
            part.write_bytes(_encode(held))


def append_file(path: str | Path, content: str | bytes, mode: int = 0o666) -> None:
    """Adds to the end of a file in a single system call, so that processes can share it; all of it or nothing.

    Raises:
        OSError: There is no room for it, or it may not be written; names the file.
    """
    with add_path_to_errors(path):
        handle = _open_nonblocking(str(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
        try:
            append(handle, _encode(content))
        finally:
            os.close(handle)


def append(handle: int, content: bytes) -> None:
    """Adds to the end of an open file; on a full disk what of it was written is taken back, unless others wrote on."""
    rest, before = memoryview(content), os.fstat(handle).st_size
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):
            if os.fstat(handle).st_size == before + len(content) - len(rest):
                os.ftruncate(handle, before)
        raise
