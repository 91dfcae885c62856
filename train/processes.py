"""Processes of a training, as started by ``accelerate launch`` or ``torchrun``: one per GPU.

Each plays and learns from its share of a step. Only the first writes files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Processes", "current_process", "print_once", "sum_over_processes"]


class Processes(NamedTuple):
    """This process among the processes of its training.

    Attributes:
        rank: Global rank, from 0.
        local_rank: Rank on this machine, which is also its GPU's index.
    """

    rank: int
    size: int
    local_rank: int

    @property
    def is_first(self) -> bool:
        """Whether this process writes files."""
        return self.rank == 0


def current_process() -> Processes:
    """Read the launcher's environment variables; a single process without them."""
    if "LOCAL_RANK" not in os.environ:
        return Processes(0, 1, 0)
    number, size, place = (int(os.environ.get(name, one)) for name, one in NAMES.items())
    return Processes(number, size, place)


NAMES = {"RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0}


def sum_over_processes(values: Sequence[float]) -> list[float]:
    """Sum each value over all processes, all of which must call this."""
    if current_process().size == 1:
        return [*values]
    from accelerate.utils import gather_object

    # Every process sums in the order of ranks and gets the same floats.
    return [sum(same) for same in zip(*gather_object([values]), strict=True)]


def print_once(line: str) -> None:
    """Print a line on standard error from the first process."""
    if current_process().is_first:
        print(line, file=sys.stderr, flush=True)
