"""Safe reading of untrusted files and atomic writing.

Only regular files of limited size are read, as UTF-8 with or without a byte order mark and with LF, CRLF or CR line
ends. Files are written to a temporary file beside the target, which they replace when complete.
"""

from __future__ import annotations

import csv
import errno
import io
import os
import re
import socket
import stat
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

from econzoo.envs.core.contract import MAX_NESTING
from econzoo.envs.core.extras import explain_missing_library

SMALL_FILE_BYTES = 2**20
"""Maximum bytes of a file written by people: options, a study, prompts, personas, a rubric, ratings."""

LARGE_FILE_BYTES = 2**25
"""Maximum bytes of a file written by programs (settings, chats, a table), and of a line of records."""

TABLE_BYTES, MAX_ROWS, MAX_CELLS = 2**24, 2**19, 2**20
"""Maximum bytes, lines and commas of a table."""

ARCHIVE_BYTES, DIRECTORY_BYTES, MAX_MEMBERS = 2**30, 2**22, 10_000
"""Maximum bytes of an archive and its content, of its directory, and maximum number of files."""

DISK_FULL_ERRORS = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))
"""Error numbers of a full disk."""

CR = "\udc0d"
"""Replacement of carriage returns in text; does not occur in UTF-8."""

ARCHIVE_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, IndexError, OverflowError),
    *(NotImplementedError, RuntimeError, ValueError, OSError),
)
"""Errors of reading archives that are invalid, damaged, encrypted or compressed by an unsupported method."""


def escape_name(path: object) -> str:
    """Format a file name for messages, with unprintable characters escaped."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in str(path))


# Reading


def check_format(what: str, found: Any, readable: int = 1) -> None:
    """Raise `ValueError` unless the format number that a file states is the one that can be read."""
    if type(found) is not int or found != readable:
        raise ValueError(f"{what} has format {found!r}, this version of EconZoo reads format {readable}")


class UnreadableError(ValueError):
    """A file cannot be read; `why` is the reason without the file name."""

    def __init__(self, path: object, why: object) -> None:
        self.why = str(why)
        super().__init__(f"{escape_name(path)} cannot be read: {why}")


def reason(error: Exception) -> str:
    """Return the reason of an error without the file name."""
    return getattr(error, "strerror", None) or getattr(error, "why", None) or str(error)


@contextmanager
def wrap_read_errors(path: object, *kinds: type[Exception]) -> Iterator[None]:
    """Context manager that converts errors about damaged files to `UnreadableError`."""
    try:
        yield
    except kinds as error:
        raise UnreadableError(path, error) from None


def open_file(path: str | Path, max_bytes: int = sys.maxsize) -> io.BufferedReader:
    """Open a file for reading, to be closed by the caller; raise `ValueError` if it is not regular or too large."""
    file = open(path, "rb", opener=_open_nonblocking)  # noqa: SIM115 (the caller closes it)
    # Of the open file, not of the path, which others could replace between check and reading.
    found = os.fstat(file.fileno())
    wrong = "" if stat.S_ISREG(found.st_mode) else "it is not a regular file"
    if not wrong and found.st_size > max_bytes:
        wrong = f"it has {found.st_size:,} bytes: expected at most {max_bytes:,}"
    if wrong:
        file.close()
        raise UnreadableError(path, wrong)
    return file


def _open_nonblocking(path: str, flags: int, mode: int = 0o666) -> int:
    """Open a file without blocking on pipes."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), mode)


class Member(NamedTuple):
    """A file in an archive, which is open while any of its members exists."""

    archive: zipfile.ZipFile
    place: str
    info: zipfile.ZipInfo

    @property
    def stem(self) -> str:
        """Name without folder and suffix."""
        return Path(self.info.filename).stem

    def __str__(self) -> str:
        return f"{self.place}/{self.info.filename}"


def read_bytes(path: str | Path | Member, max_bytes: int = SMALL_FILE_BYTES) -> bytes:
    """Read the bytes of a file; raise `ValueError` if it is not regular, too large, or a damaged archive member."""
    if not isinstance(path, Member):
        with open_file(path, max_bytes) as file:
            # A file can grow after the check.
            return file.read(max_bytes)
    if path.info.file_size > max_bytes:
        raise UnreadableError(path, f"it has {path.info.file_size:,} bytes: expected at most {max_bytes:,}")
    with wrap_read_errors(path, *ARCHIVE_ERRORS):
        return path.archive.read(path.info)


def read_text(path: str | Path | Member, max_bytes: int = SMALL_FILE_BYTES) -> str:
    """Read the text of a file, with LF line ends."""
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
    """Yield (line number from 1, cells) of each non-empty row of a CSV file.

    In files with other line ends, a single carriage return is part of its cell.
    """
    text = _decode_file(path, max_bytes)
    if max(text.count("\n"), text.count("\r")) > MAX_ROWS or text.count(",") > MAX_CELLS:
        limit = f"{MAX_ROWS:,} lines and {MAX_CELLS:,} commas"
        raise UnreadableError(path, f"it is too long for a table: expected at most {limit}")
    # `csv` ends a row at a lone carriage return, too: hidden from it where other line ends exist.
    alone = "\r" in text and "\n" in text
    table = csv.reader(io.StringIO(re.sub("\r(?!\n)", CR, text) if alone else text, newline=""), strict=strict)
    try:
        for row in table:
            if row:
                yield table.line_num, [cell.replace(CR, "\r") for cell in row] if alone else row
    except csv.Error as error:
        raise ValueError(f"{escape_name(path)}, line {table.line_num}: not CSV: {error}") from None


class _LimitedReader:
    """Open file that reads at most `max_read` bytes at once."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file, self.max_read = file, most

    def read(self, size: int = -1) -> bytes:
        if size > self.max_read:
            raise zipfile.BadZipFile(f"its directory has {size:,} bytes: expected at most {self.max_read:,}")
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    # A ZipFile closes only files that it has opened itself. Members hold the archive, and the archive this object.
    def __del__(self) -> None:
        self._file.close()


def list_members(path: str | Path, content: bytes | None = None, factor: int = 0) -> dict[str, Member]:
    """List the files in an archive by name, after checking their number and size.

    Args:
        content: Bytes of the archive, if already read.
        factor: Maximum ratio of the inflated size to its own, or `LARGE_FILE_BYTES`; 0: `ARCHIVE_BYTES` bytes.
    """
    file = open_file(path, ARCHIVE_BYTES) if content is None else io.BytesIO(content)
    most = max(LARGE_FILE_BYTES, factor * file.seek(0, os.SEEK_END)) if factor else ARCHIVE_BYTES
    guarded = _LimitedReader(file, DIRECTORY_BYTES)
    with wrap_read_errors(path, *ARCHIVE_ERRORS):
        # Opening reads the directory in one piece, whose size the file itself states.
        archive = zipfile.ZipFile(guarded)  # type: ignore[call-overload]
        guarded.max_read = sys.maxsize
        found = [info for info in archive.infolist() if not info.is_dir()]
        if len(found) > MAX_MEMBERS:
            raise ValueError(f"it has {len(found):,} files: expected at most {MAX_MEMBERS:,}")
        if (total := sum(info.file_size for info in found)) > most:
            raise ValueError(f"it contains {total:,} bytes: expected at most {most:,}")
        others = [one.filename for one in found if one.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)]
        if others:
            raise ValueError(f"{escape_name(others[0])} is compressed by an unsupported method")
    return {info.filename: Member(archive, str(path), info) for info in found}


# Writing


@contextmanager
def add_path_to_errors(path: str | Path, part: str | Path = "") -> Iterator[None]:
    """Context manager that adds the name of the target to errors of writing it or its `part`."""
    try:
        yield
    except OSError as error:
        if error.errno is None or str(error.filename or part) != str(part):
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from None


PART, ABANDONED_SECONDS = ".part", 86_400
"""Suffix of temporary files, and the age at which those of other machines are abandoned."""

ABANDONED = re.compile(rf".+\.(?P<machine>[0-9a-f]{{8}})-(?P<process>\d+)-\d+(-old)?{re.escape(PART)}", re.DOTALL)

_NUMBERS = count()
"""Numbers the temporary files of a process."""


@contextmanager
def atomic_write(path: str | Path, must_be_new: bool = False, mode: int = 0o666) -> Iterator[Path]:
    """Context manager yielding a temporary file that replaces `path` on success and is deleted on failure.

    Args:
        path: Target; its folder is created if missing. Devices and pipes are written to directly.
    """
    # The target of a link is replaced, not the link.
    place = Path(os.path.realpath(path))
    if must_be_new and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    if place.exists() and not place.is_file():
        with add_path_to_errors(path, place):
            handle = _open_nonblocking(str(place), os.O_WRONLY)  # fails on a pipe without a reader
            try:
                yield place
            finally:
                os.close(handle)
        return
    # Beside the target, as a file can only be moved within its file system; names are limited to 255 bytes.
    part = place.with_name(f"{place.name[:50]}.{_machine()}-{os.getpid()}-{next(_NUMBERS)}{PART}")
    with add_path_to_errors(path, part):
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned_parts(place.parent)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        try:
            if place.exists():
                part.chmod(stat.S_IMODE(place.stat().st_mode))
            yield part
            (_move_if_absent if must_be_new else os.replace)(part, place)
        finally:
            with suppress(OSError):
                part.unlink()


@cache
def _machine() -> str:
    """Mark of the machine, or container, on which a process id means one process."""
    names = [socket.gethostname()]
    for file in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        with suppress(OSError):
            names.append(os.readlink(file) if file.endswith("pid") else Path(file).read_text())
    return sha256("".join(names).encode()).hexdigest()[:8]


_SWEPT: set[Path] = set()
"""Folders in which this process has looked for abandoned parts."""


def _remove_abandoned_parts(folder: Path) -> None:
    """Remove, once in a process, what killed processes left: of this machine at once, of others after a day."""
    if folder in _SWEPT or os.name == "nt":  # where a process cannot be asked for without being ended
        return
    _SWEPT.add(folder)
    for part in folder.glob(f"*{PART}"):
        if (found := ABANDONED.fullmatch(part.name)) is None:
            continue
        with suppress(OSError):
            old = time.time() - part.lstat().st_mtime > ABANDONED_SECONDS
            if old or (found["machine"] == _machine() and not _is_running(int(found["process"]))):
                part.unlink()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _move_if_absent(part: Path, place: Path) -> None:
    try:
        # Unlike os.replace, a link fails if another process has written the target meanwhile.
        os.link(part, place)
    except FileExistsError:
        raise
    except OSError:  # file system without links
        os.replace(part, place)


def write_file(path: str | Path, content: str | bytes, must_be_new: bool = False, mode: int = 0o666) -> Path:
    """Write a file atomically; text as UTF-8, with lone surrogates escaped. See `atomic_write`."""
    with atomic_write(path, must_be_new, mode) as part:
        part.write_bytes(_encode(content))
    return Path(path)


def _encode(held: str | bytes) -> bytes:
    return held.encode(errors="backslashreplace") if isinstance(held, str) else held


def write_files(files: Mapping[Path, str | bytes], must_be_new: bool = False) -> None:
    """Write several files, all or none; see `atomic_write`."""
    with ExitStack() as undo, ExitStack() as drafts:
        for path, held in files.items():
            # All drafts are complete before the first replaces its target, at the end of the stack.
            part = drafts.enter_context(atomic_write(path, must_be_new))
            part.write_bytes(_encode(held))
            undo.push(_restore(Path(os.path.realpath(path)), part))


def _restore(place: Path, part: Path) -> Callable[..., None]:
    """Return what undoes the writing of a file if another draft of the group could not replace its target."""
    old, own, replaces = part.with_name(f"{part.name[:-5]}-old.part"), part.stat().st_ino, place.is_file()
    if replaces:
        with suppress(OSError):  # a file system without links
            os.link(place, old)

    def end(kind: type[BaseException] | None, *_: object) -> None:
        with suppress(OSError):
            if kind is not None and part != place and place.stat().st_ino == own:
                old.replace(place) if replaces else place.unlink()
        with suppress(OSError):
            old.unlink()

    return end


def append_file(path: str | Path, content: str | bytes, mode: int = 0o666) -> None:
    """Append to a file in a single system call, so that processes can share it; all or nothing."""
    with add_path_to_errors(path):
        handle = _open_nonblocking(str(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, mode)
        try:
            append(handle, _encode(content))
        finally:
            os.close(handle)


def append(handle: int, content: bytes) -> None:
    """Append to an open file; on a full disk truncate a partial write, unless others have appended since."""
    rest, size = memoryview(content), os.fstat(handle).st_size
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
    except OSError:
        with suppress(OSError):
            if os.fstat(handle).st_size == size + len(content) - len(rest):
                os.ftruncate(handle, size)
        raise


# YAML


MAX_YAML_LENGTH = 2**18
"""Maximum characters: each can use kilobytes while parsing."""

MAX_ALIASES = 10
"""Maximum aliases: a hundred can expand to gigabytes."""


def parse_yaml(text: str, what: str) -> Any:
    """Parse YAML of plain types; raise `ValueError` if it is invalid, has duplicate keys or is beyond the limits.

    Args:
        what: Name in error messages, such as ``"the file a.yaml"``.
    """
    if len(text) > MAX_YAML_LENGTH:
        raise ValueError(f"{what} has {len(text):,} characters: expected at most {MAX_YAML_LENGTH:,} of YAML")
    with explain_missing_library(what):
        import yaml

    # Defined here, because PyYAML is imported late.
    class Careful(yaml.SafeLoader):
        aliases = 0

        def __init__(self, stream: str) -> None:
            super().__init__(stream)
            self.within: list[str | None] = []  # anchors of the nodes that are being read

        def compose_node(self, parent: Any, index: Any) -> Any:
            is_alias, name = self.check_event(yaml.AliasEvent), self.peek_event().anchor
            self.aliases += is_alias
            if self.aliases > MAX_ALIASES:
                raise ValueError(f"more than {MAX_ALIASES} aliases (*NAME)")
            if is_alias and name in self.within:
                raise ValueError(f"*{name} is part of itself")
            self.within.append(name)
            if len(self.within) > MAX_NESTING:
                raise ValueError(f"nested too deeply: expected at most {MAX_NESTING} levels")
            node = super().compose_node(parent, index)
            self.within.pop()
            return node

        def construct_scalar(self, node: Any) -> Any:
            # YAML 1.1 has numbers to the base 60: 1:30 would be 90.
            if ":" in node.value and node.tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float"):
                raise ValueError(f"{node.value} is not a decimal number: quote it if it is a text")
            return super().construct_scalar(node)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            # PyYAML itself lets the last of several equal keys win.
            names = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(f"duplicate key {twice!r}")
            return super().construct_mapping(node, deep)

    try:
        return yaml.load(text, Careful)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(f"{what} is not YAML: {' '.join(str(error).split())}") from None


def cache_folder() -> Path:
    """Return `ECONZOO_CACHE`, or `econzoo` in the platform's cache folder, without creating it."""
    if chosen := os.environ.get("ECONZOO_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "econzoo" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "econzoo"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "econzoo"
