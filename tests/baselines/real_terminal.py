"""A process at a pseudo-terminal of its own, for tests: what it prints is read, and lines are typed to it."""

from __future__ import annotations

import codecs
import os
import re
import select
import subprocess
import sys
from collections.abc import Callable

import pytest

CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
"""What turns looks on and off, clears the screen and moves to the left edge."""

ASKED = re.compile(r"(?: > |^\.\.\. |^P(?:ass|ress) .*\. )$")
"""How a line ends at which somebody is to type."""


class RealTerminal:
    """Runs Python code at a terminal.

    Args:
        code: Of the process.
        columns: Of the terminal.
    """

    def __init__(self, code: str, columns: int = 200) -> None:
        pty = pytest.importorskip("pty")
        self.master, inside = pty.openpty()
        environment = {
            **os.environ,
            "TERM": "xterm",
            "COLUMNS": str(columns),
            "LINES": "24",
            "PYTHONIOENCODING": "utf-8",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=inside, stdout=inside, stderr=inside, env=environment
        )
        os.close(inside)
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def read(self) -> str:
        """What has been printed, or nothing after the end."""
        ready, _, _ = select.select([self.master], [], [], 60)
        assert ready, "nothing is printed any more"
        try:
            return self._decoder.decode(os.read(self.master, 10_000))
        except OSError:  # the process has ended
            return ""

    def asked(self) -> str:
        """Everything up to a question."""
        told = ""
        while not ASKED.search(CODES.sub("", told).rpartition("\n")[2]):
            told += self.read() or pytest.fail(f"nothing is asked in {told!r}")
        return told

    def rest(self) -> str:
        """Everything up to the end."""
        return "".join(iter(self.read, ""))

    def play(self, typed: Callable[[str], str]) -> str:
        """Lets somebody type at every question until the process ends; all that was shown, without codes."""
        shown = ""
        while told := self.read():
            shown += CODES.sub("", told)
            if ASKED.search(shown.rpartition("\n")[2]):
                self.type(typed(shown))
        return shown

    def type(self, line: str) -> None:
        """Types a line."""
        os.write(self.master, f"{line}\n".encode())

    def end(self) -> None:
        """Ends the process, if it has not ended."""
        self.process.kill()
        self.process.wait()
        os.close(self.master)
