"""A run in a process of its own that is killed in the middle: by how much it has written, never by the clock."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

MAIN = """
import os, signal, sys
from econzoo.evaluate.run import folder

class Killed(folder.Writer):
    def __init__(self, path):
        self.path = path
        super().__init__(path)

    def append(self, lines):
        super().append(lines)
        if "{part}" in str(self.path) and self.path.stat().st_size > {written}:
            os.kill(os.getpid(), signal.SIGKILL)

folder.Writer = Killed

if __name__ == "__main__":
    {code}
"""


def run_until_killed(code: str, home: Path, written: int, part: str = "") -> None:
    """Runs code in a new process that is killed once it has written more than so many bytes of records.

    Args:
        code: One line; it finds what the tests of this folder find.
        home: Working folder.
        written: Bytes in one file.
        part: Of the path of that file.
    """
    (home / "main.py").write_text(MAIN.format(code=code, written=written, part=part))
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), str(here.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "main.py"],
        check=False,
        cwd=home,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
    )
    assert done.returncode == -signal.SIGKILL
