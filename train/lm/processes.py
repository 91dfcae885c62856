"""The processes of a training, as ``accelerate launch`` or ``torchrun`` starts them: one for each GPU.

Each plays and learns from its share of a step. The first alone writes files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Processes", "processes", "print_once", "sum_over_processes"]


class Processes(NamedTuple):
    """This process among those of its training.

    Attributes:
        rank: Its own, from 0.
        size: How many there are.
        local_rank: Its number among those on this machine, which is that of its GPU.
    """

    rank: int
    size: int
    local_rank: int

    @property
    def is_first(self) -> bool:
        """Whether it is the one that writes."""
        return self.rank == 0


def processes() -> Processes:
    """As the launcher has said in the environment of this process; one alone where there is none."""
    if "LOCAL_RANK" not in os.environ:
        return Processes(0, 1, 0)
    number, size, place = (int(os.environ.get(name, one)) for name, one in NAMES.items())
    return Processes(number, size, place)


NAMES = {"RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0}


def sum_over_processes(values: Sequence[float]) -> list[float]:
    """The sum of each value over all processes, all of which must ask."""
    if processes().size == 1:
        return [*values]
    from accelerate.utils import gather_object

    return [sum(same) for same in zip(*gather_object([values]), strict=True)]


def print_once(line: str) -> None:
    """Prints a line on standard error, once for all processes."""
    if processes().is_first:
        print(line, file=sys.stderr, flush=True)
