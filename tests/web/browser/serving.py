"""``econzoo serve`` as a process: started, killed, started again on the same address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERTZ = os.sysconf("SC_CLK_TCK")


class Server:
    """The process, with its folder.

    Args:
        folder: Where it runs.
        *options: More of the command line.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self._options, self.port = folder, options, 0
        self.start()

    def start(self) -> None:
        """Starts it, on the same port as before; knows then `url` and the `seconds` until it was printed."""
        line = [sys.executable, "-m", "econzoo", "serve", "--port", str(self.port), "--no-open", *self._options]
        began = time.monotonic()
        self.process = subprocess.Popen(
            line, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        self.printed = [self.process.stdout.readline().strip()]
        self.seconds, self.url = time.monotonic() - began, self.printed[0]
        self.port = int(self.url.split("/")[2].rpartition(":")[2])

    def kill(self) -> None:
        """As ``kill -9`` does."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    @property
    def cpu_seconds(self) -> float:
        """CPU time of the process so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / HERTZ

    @property
    def megabytes(self) -> float:
        """Memory that the process has now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *error: Any) -> None:
        self.kill()
