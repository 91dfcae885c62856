"""Folders of a server, and the command that runs for one in a process of its own: a server started anew finds both."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Generic, NamedTuple, TypeVar

from starlette.exceptions import HTTPException

from econzoo.envs.core.contract.validation import parse_json
from econzoo.envs.core.files import open_file, read_bytes, read_text, write_file

RUN, LOG = "run.json", "log.txt"

PAUSE, STOP = "pause", "stop"
"""What was asked of a process: to end well, or at once."""

SIGNALS = {PAUSE: signal.SIGINT, STOP: signal.SIGTERM}


class Run(NamedTuple):
    """A process that was started.

    Attributes:
        pid: Of the process.
        command: Its command line.
        began: Seconds since 1970.
        ended: Matches that had ended when it began.
        asked: `PAUSE`, `STOP`, or nothing.
        url: Where it is reached, if it is a server.
    """

    pid: int
    command: list[str]
    began: float
    ended: int
    asked: str = ""
    url: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether the process runs: one with this number and this command line."""
        return command_words(self.pid) == " ".join(self.command).split()


def command_words(pid: int) -> list[str]:
    """The words of the command line of a process; none if there is no such process, or it has ended."""
    with suppress(OSError):
        if Path("/proc/self").exists():
            return read_bytes(Path(f"/proc/{pid}/cmdline")).decode(errors="replace").replace("\0", " ").split()
        found = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return found.stdout.split()
    return []


def start(folder: Path, command: Sequence[str], ended: int) -> Run:
    """Starts a command that outlives this process and writes to the log of a folder.

    Args:
        folder: Of the run.
        command: The command line.
        ended: Matches that have ended before.
    """
    with (folder / LOG).open("ab") as log:
        own = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True}
        process = subprocess.Popen(command, **own)  # type: ignore[call-overload]
    Thread(target=process.wait, daemon=True).start()  # an ended process is no process any more
    run = Run(process.pid, list(command), time.time(), ended)
    _write(folder, run)
    return run


def record_server(folder: Path, url: str) -> None:
    """Keeps that this process is the server of a folder, for those who want to know whether one runs.

    Args:
        folder: That it serves.
        url: Where it is reached.
    """
    _write(folder, Run(os.getpid(), command_words(os.getpid()), time.time(), 0, url=url))


def load_last(folder: Path) -> Run | None:
    """The last run of a folder, or None."""
    with suppress(OSError, ValueError, TypeError):
        return Run(**parse_json(read_text(folder / RUN)))
    return None


def running_server(folder: Path) -> Run | None:
    """The process that serves a study, if one does and says where."""
    run = load_last(folder)
    with suppress(TypeError):  # the file says something else
        if run is not None and re.fullmatch(r"https?://[^\s\"'<>]+", run.url) and run.is_alive:
            return run
    return None


def request_end(folder: Path, what: str) -> None:
    """Asks the process of a folder, if it runs, to end: `PAUSE` or `STOP`."""
    run = load_last(folder)
    if run is None:
        return
    _write(folder, run._replace(asked=what))
    if run.is_alive:
        with suppress(ProcessLookupError):
            signal_process(run.pid, what)


def signal_process(pid: int, what: str) -> None:
    """Pausing interrupts the process, which then ends its helpers itself; stopping ends all of them."""
    if what == PAUSE:
        os.kill(pid, SIGNALS[what])
    else:
        os.killpg(pid, SIGNALS[what])


def _write(folder: Path, run: Run) -> None:
    write_file(folder / RUN, json.dumps(run._asdict()))


def tail_log(folder: Path, lines: int, most: int = 20_000) -> list[str]:
    """The last lines of the log."""
    path = folder / LOG
    if not path.is_file():
        return []
    with open_file(path) as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - most))
        return file.read().decode("utf-8", "replace").splitlines()[-lines:]


T = TypeVar("T")


class FolderIndex(Generic[T]):
    """What a server keeps in folders, one for each thing.

    Args:
        folder: With these folders.
        file: That each of them has from the beginning.
        open_folder: Makes the thing of a folder.
    """

    def __init__(self, folder: Path, file: str, open_folder: Callable[[Path], T]) -> None:
        self.folder, self._file, self._open_folder = folder.resolve(), file, open_folder
        self._cache: dict[str, T] = {}
        self._lock = Lock()

    def list_all(self) -> list[T]:
        """The newest first."""
        found = sorted(self.folder.glob(f"*/{self._file}"), key=lambda path: -path.stat().st_mtime)
        return [self.find(path.parent.name) for path in found]

    def find(self, id: str) -> T:
        """What has an id.

        Raises:
            HTTPException: Nothing has.
        """
        with self._lock:
            if id not in self._cache:
                folder = self.folder / id
                if not id.replace("-", "").replace("_", "").isalnum() or not (folder / self._file).is_file():
                    raise HTTPException(404)
                self._cache[id] = self._open_folder(folder)
            return self._cache[id]
