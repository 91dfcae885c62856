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

SMALL = 2**20
"""Bytes of a file that people write: options, a study, prompts, personas, a rubric, a sheet of ratings."""

LARGE = 2**25
"""Bytes of a file that programs write: markets, chats, a table, and a line of records."""

TABLE, MOST_ROWS, MOST_CELLS = 2**24, 2**19, 2**20
"""Bytes, lines and commas of a table."""

ARCHIVE, DIRECTORY, MOST_MEMBERS = 2**30, 2**22, 10_000
"""Bytes of an archive, and of all that is in it; of its directory, which is read at once; files in it."""

FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Errors of a full disk."""

CR = "\udc0d"
"""Stands for a carriage return that is text; no text in UTF-8 has it."""

BROKEN = (
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
def name_damage(path: object, *kinds: type[Exception]) -> Iterator[None]:
    """Raises `UnreadableError` in place of errors by which a library says that a file is damaged."""
    try:
        yield
    except kinds as error:
        raise UnreadableError(path, error) from None


def open_file(path: str | Path, most: int = sys.maxsize) -> io.BufferedReader:
    """A file, open for reading.

    Args:
        path: The file, or a link to it.
        most: Bytes that it may have.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is a device, a pipe or the like, or too large.
    """
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 (the caller closes it)
    found = os.fstat(file.fileno())
    wrong = "" if stat.S_ISREG(found.st_mode) else "it is no regular file"
    if not wrong and found.st_size > most:
        wrong = f"it has {found.st_size:,} bytes; allowed: {most:,}"
    if wrong:
        file.close()
        raise UnreadableError(path, wrong)
    return file


def _without_waiting(path: str, flags: int, mode: int = 0o666) -> int:
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


def bytes_of(path: str | Path | Member, most: int = SMALL) -> bytes:
    """What a file holds.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no regular file, is too large, or is a damaged member of an archive.
    """
    if not isinstance(path, Member):
        with open_file(path, most) as file:
            return file.read(most)
    if path.info.file_size > most:
        raise UnreadableError(path, f"it has {path.info.file_size:,} bytes; allowed: {most:,}")
    with name_damage(path, *BROKEN):
        return path.archive.read(path.info)


def text_of(path: str | Path | Member, most: int = SMALL) -> str:
    """The text of a file, its lines ended by LF.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is not UTF-8, or see `bytes_of`.
    """
    return _decoded(path, most).replace("\r\n", "\n").replace("\r", "\n")


def _decoded(path: str | Path | Member, most: int) -> str:
    held = bytes_of(path, most)
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError(path, f"it is not UTF-8: {error.reason} at byte {error.start}") from None


def rows_of(path: str | Path, most: int = TABLE, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """The number of the line, 1-based, and the cells of each row of a CSV file that has any.

    In a file with other line ends a carriage return alone is text of its cell.

    Args:
        path: The file.
        most: Bytes that it may have.
        strict: Whether signs behind a closing quote are refused.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no table, or see `text_of`.
    """
    text = _decoded(path, most)
    if max(text.count("\n"), text.count("\r")) > MOST_ROWS or text.count(",") > MOST_CELLS:
        allowed = f"{MOST_ROWS:,} lines and {MOST_CELLS:,} commas"
        raise UnreadableError(path, f"it is too long for a table; allowed: {allowed}")
    alone = "\r" in text and "\n" in text
    table = csv.reader(io.StringIO(re.sub("\r(?!\n)", CR, text) if alone else text, newline=""), strict=strict)
    try:
        for row in table:
            if row:
                yield table.line_num, [cell.replace(CR, "\r") for cell in row] if alone else row
    except csv.Error as error:
        raise ValueError(f"{escape_name(path)}, line {table.line_num}: not CSV: {error}") from None


class _Directory:
    """An open file of which no more than `most` bytes are read at once."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self.most = file, most

    def read(self, size: int = -1) -> bytes:
        if size > self.most:
            raise zipfile.BadZipFile(f"its directory has {size:,} bytes; allowed: {self.most:,}")
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __del__(self) -> None:
        self._file.close()


def members_of(path: str | Path, held: bytes | None = None, factor: int = 0) -> dict[str, Member]:
    """The files in an archive by name, counted and measured before any of them is read.

    Args:
        path: The archive.
        held: What it holds, if it was read before.
        factor: How many times its own size the inflated one may be, or `LARGE`; 0: up to `ARCHIVE` bytes.

    Raises:
        OSError: It cannot be opened.
        ValueError: It is no archive, or one that is too large.
    """
    file = open_file(path, ARCHIVE) if held is None else io.BytesIO(held)
    most = max(LARGE, factor * file.seek(0, os.SEEK_END)) if factor else ARCHIVE
    guarded = _Directory(file, DIRECTORY)
    with name_damage(path, *BROKEN):
        archive = zipfile.ZipFile(guarded)  # type: ignore[call-overload]
        guarded.most = sys.maxsize
        found = [info for info in archive.infolist() if not info.is_dir()]
        if len(found) > MOST_MEMBERS:
            raise ValueError(f"it has {len(found):,} files; allowed: {MOST_MEMBERS:,}")
        if (total := sum(info.file_size for info in found)) > most:
            raise ValueError(f"it holds {total:,} bytes; allowed: {most:,}")
        others = [one.filename for one in found if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
        if others:
            raise ValueError(f"{escape_name(others[0])} is packed in another way than zip's own")
    return {info.filename: Member(archive, str(path), info) for info in found}


# Out


@contextmanager
def name_in_errors(path: str | Path, part: str | Path = "") -> Iterator[None]:
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
def draft(path: str | Path, new: bool = False, mode: int = 0o666) -> Iterator[Path]:
    """A file beside another one, which takes its place when it is whole, and goes if it does not become so.

    Args:
        path: Where it is to stand, in a folder that is made if there is none. A device or pipe is written to directly.
        new: Whether nothing may stand there yet.
        mode: Who may read and write a new file, less what the process never allows.

    Raises:
        FileExistsError: Something stands there that may not.
        OSError: There is no room for it, or it may not be written; names the file.
    """
    place = Path(os.path.realpath(path))
    if new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    if place.exists() and not place.is_file():
        with name_in_errors(path, place):
            handle = _without_waiting(str(place), os.O_WRONLY)  # refuses a pipe that nobody reads
            try:
                yield place
            finally:
                os.close(handle)
        return
    part = place.with_name(f"{place.name[:50]}.{os.getpid()}-{next(_NUMBERS)}.part")
    with name_in_errors(path, part):
        place.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)  # of a process that was killed
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        try:
            if place.exists():
                part.chmod(stat.S_IMODE(place.stat().st_mode))
            yield part
            (_link if new else os.replace)(part, place)
        finally:
            with suppress(OSError):
                part.unlink()


def _link(part: Path, place: Path) -> None:
    try:
        os.link(part, place)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.replace(part, place)


def write_file(path: str | Path, held: str | bytes, new: bool = False, mode: int = 0o666) -> Path:
    """Writes a file, whole or not at all; texts in UTF-8, half a surrogate pair as its escape. See `draft`."""
    with draft(path, new, mode) as part:
        part.write_bytes(_encoded(held))
    return Path(path)


def _encoded(held: str | bytes) -> bytes:
    return held.encode(errors="backslashreplace") if isinstance(held, str) else held


def write_files(files: Mapping[Path, str | bytes], new: bool = False) -> None:
    """Writes several files, all of them or none; see `draft`."""
    with ExitStack() as drafts:
        for path, held in files.items():
            part = drafts.enter_context(draft(path, new))
            part.write_bytes(_encoded(held))


def append_file(path: str | Path, held: str | bytes, mode: int = 0o666) -> None:
    """Adds to the end of a file in a single system call, so that processes can share it; all of it or nothing.

    Raises:
        OSError: There is no room for it, or it may not be written; names the file.
    """
    with name_in_errors(path):
        handle = _without_waiting(str(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
        try:
            append(handle, _encoded(held))
        finally:
            os.close(handle)


def append(handle: int, held: bytes) -> None:
    """Adds to the end of an open file; on a full disk what of it was written is taken back, unless others wrote on."""
    rest, before = memoryview(held), os.fstat(handle).st_size
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):
            if os.fstat(handle).st_size == before + len(held) - len(rest):
                os.ftruncate(handle, before)
        raise
