"""Sampling schedules: every player plays equally often, without playing every combination.

As in GLEE (arXiv:2410.05254, and its public experiment runner): every player plays a fixed number of matches in the
first seat, its partners taking turns, and each match takes the next setting of a shuffled list, reshuffled when used
up. So not every pair meets in every setting, but all settings occur about equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np


class Sampling(NamedTuple):
    """A sampling schedule.

    Attributes:
        games: Matches of each player in the first seat.
        seed: Seed of the shuffling.
    """

    games: int
    seed: int = 0


class Draw(NamedTuple):
    """One match of a schedule.

    Attributes:
        players: Player per seat.
        setting: Index of the setting.
        repeat: Earlier matches of the same players in this setting; the seed of the match.
    """

    players: tuple[str, ...]
    setting: int
    repeat: int


def sample_schedule(sampling: Sampling, seatings: Sequence[tuple[str, ...]], setting_count: int) -> Iterator[Draw]:
    """Yield the matches of a design: those with the first player in the first seat, then the second, and so on.

    Args:
        sampling: The schedule.
        seatings: All possible seatings, in the order in which partners take turns.
        setting_count: Number of settings.
    """
    partners: dict[str, list[tuple[str, ...]]] = {}
    for seating in seatings:
        partners.setdefault(seating[0], []).append(seating)
    order, repeats = repeat_shuffled(setting_count, sampling.seed), Counter[tuple[tuple[str, ...], int]]()
    for own in partners.values():
        for players in islice(cycle(own), sampling.games):
            setting = next(order)
            yield Draw(players, setting, repeats[players, setting])
            repeats[players, setting] += 1


def repeat_shuffled(count: int, seed: int) -> Iterator[int]:
    """Yield the integers 0 to count - 1 in random order, reshuffled each time."""
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.permutation(count).tolist()
