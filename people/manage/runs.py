"""Folders of a server and their background processes, which survive a restart of the server."""

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

from econzoo.envs.core import open_file, read_bytes, read_text, write_file
from econzoo.envs.core.contract import parse_json

RUN, LOG = "run.json", "log.txt"

PAUSE, STOP = "pause", "stop"
"""Requests to a process: end gracefully, or at once."""

SIGNALS = {PAUSE: signal.SIGINT, STOP: signal.SIGTERM}


class Run(NamedTuple):
    """A started process.

    Attributes:
        began: Start time in seconds since 1970.
        asked: `PAUSE`, `STOP`, or empty.
        url: URL of a server; empty for other processes.
    """

    pid: int
    command: list[str]
    began: float
    finished: int
    asked: str = ""
    url: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether a process with this id and command line is running."""
        # The id alone may belong to a later process. Words are compared as ps gives them, split at blanks within
        # arguments too.
        return command_words(self.pid) == " ".join(self.command).split()


def command_words(pid: int) -> list[str]:
    """Words of the command line of a running process; empty if there is none."""
    with suppress(OSError):
        if Path("/proc/self").exists():
            return read_bytes(Path(f"/proc/{pid}/cmdline")).decode(errors="replace").replace("\0", " ").split()
        done = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)
        return done.stdout.split()
    return []


def start(folder: Path, command: Sequence[str], finished: int) -> Run:
    """Start a command that outlives this process and logs to a folder."""
    with (folder / LOG).open("ab") as log:
        # A session of its own: Ctrl-C in the terminal of the server does not reach it, and STOP ends its whole group.
        own = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log, "start_new_session": True}
        process = subprocess.Popen(command, **own)  # type: ignore[call-overload]
    Thread(target=process.wait, daemon=True).start()  # reaps the process
    run = Run(process.pid, list(command), time.time(), finished)
    _write(folder, run)
    return run


def record_server(folder: Path, url: str) -> None:
    """Record this process as the server of a folder."""
    _write(folder, Run(os.getpid(), command_words(os.getpid()), time.time(), 0, url=url))


def load_last(folder: Path) -> Run | None:
    with suppress(OSError, ValueError, TypeError):
        return Run(**parse_json(read_text(folder / RUN)))
    return None


def running_server(folder: Path) -> Run | None:
    """The running server of a study with a known URL, or None."""
    run = load_last(folder)
    with suppress(TypeError):  # the file holds something else
        if run is not None and re.fullmatch(r"https?://[^\s\"'<>]+", run.url) and run.is_alive:
            return run
    return None


def request_end(folder: Path, what: str) -> None:
    """Ask the running process of a folder to end: `PAUSE` or `STOP`."""
    run = load_last(folder)
    if run is None:
        return
    # Before the signal: the process may end at once, and the page says why.
    _write(folder, run._replace(asked=what))
    if run.is_alive:
        with suppress(ProcessLookupError):
            signal_process(run.pid, what)


def signal_process(pid: int, what: str) -> None:
    """Interrupt the process, which then ends its workers (`PAUSE`), or terminate the process group (`STOP`)."""
    if what == PAUSE:
        os.kill(pid, SIGNALS[what])
    else:
        os.killpg(pid, SIGNALS[what])


def _write(folder: Path, run: Run) -> None:
    write_file(folder / RUN, json.dumps(run._asdict()))


def tail_log(folder: Path, lines: int, most: int = 20_000) -> list[str]:
    """Last lines of the log, from its last `most` bytes."""
    path = folder / LOG
    if not path.is_file():
        return []
    with open_file(path) as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - most))
        return file.read().decode("utf-8", "replace").splitlines()[-lines:]


T = TypeVar("T")


class FolderIndex(Generic[T]):
    """Objects of a server that are stored in one folder each."""

    def __init__(self, folder: Path, file: str, open_folder: Callable[[Path], T]) -> None:
        self.folder, self._file, self._open_folder = folder.resolve(), file, open_folder
        self._cache: dict[str, T] = {}
        self._lock = Lock()

    def list_all(self) -> list[T]:
        """All objects, newest first."""
        paths = sorted(self.folder.glob(f"*/{self._file}"), key=lambda path: -path.stat().st_mtime)
        return [self.find(path.parent.name) for path in paths]

    def find(self, id: str) -> T:
        with self._lock:
            if id not in self._cache:
                folder = self.folder / id
                # Ids come from URLs: nothing that could leave the folder.
                if not id.replace("-", "").replace("_", "").isalnum() or not (folder / self._file).is_file():
                    raise HTTPException(404)
                self._cache[id] = self._open_folder(folder)
            return self._cache[id]
