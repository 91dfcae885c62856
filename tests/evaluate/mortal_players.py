"""Players of ``pennies`` for processes of their own: ones that may end or kill it, need a file or sleep."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from econzoo.baselines import Player
from econzoo.wrappers import SeatInfo
from toy.pennies import Heads

FATAL = 1
"""The seed of a match in which somebody's own seed can be divided by three; not so in those with the seeds 0, 2, 4."""

SPARED = "spared"
"""Name of the file in the working folder that keeps everybody alive."""

SLOW = "slow"
"""Name of a link in the working folder to the id of the process that is slow."""

ASLEEP = "asleep"
"""What the name of a file begins with that says which process sleeps."""


class Mortal(Player):
    """Shows heads, or kills its process if its seed can be divided by three."""

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.dies = seed % 3 == 0

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        if self.dies and not Path(SPARED).exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return Heads()


class Leaver(Player):
    """Shows heads, or ends its interpreter where `Mortal` kills it."""

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.leaves = seed % 3 == 0

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        if self.leaves:
            sys.exit(0)
        return Heads()


class Reader(Player):
    """Shows heads, and cannot be made without its file."""

    def __init__(self, spec: str, file: str) -> None:
        super().__init__(spec)
        Path(file).read_bytes()

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        return Heads()


class Sleeper(Player):
    """Leaves a file that names its process, and never answers."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        Path(f"{ASLEEP}.{os.getpid()}").touch()
        time.sleep(3600)


class Slowed(Player):
    """Shows heads, and takes a tenth of a second in the process that is the first to have one of its kind."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        with suppress(FileExistsError):
            os.symlink(str(os.getpid()), SLOW)
        if os.readlink(SLOW) == str(os.getpid()):
            time.sleep(0.1)
        return Heads()


PLAYERS = {"slowed": Slowed, "sleeper": Sleeper, "leaver": Leaver, "mortal": Mortal, "reader": Reader}
