"""A plan of play that meets every player equally often instead of playing every combination.

GLEE's way (arXiv:2410.05254, and the experiment runner of its public code): every player plays so many games as the
first seat, its partners taking turns, and each game takes the next market of a shuffled list, which is shuffled again
when it is used up. So not every pair meets in every market, but all markets come up about equally often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np


class Sampling(NamedTuple):
    """How to sample.

    Attributes:
        games: Games of each player in the first seat.
        seed: Of the shuffling.
    """

    games: int
    seed: int = 0


class Draw(NamedTuple):
    """One game.

    Attributes:
        players: Who sits where.
        setting: Index of the market.
        repeat: How often the same players have met in this market before; the seed of the match.
    """

    players: tuple[str, ...]
    setting: int
    repeat: int


def sample_schedule(sampling: Sampling, seatings: Sequence[tuple[str, ...]], setting_count: int) -> Iterator[Draw]:
    """The games of a design: those of the first player in the first seat, then those of the second, and so on.

    Args:
        sampling: See `Sampling`.
        seatings: All that are possible, in the order in which partners take turns.
        setting_count: How many there are.
    """
    partners: dict[str, list[tuple[str, ...]]] = {}
    for seating in seatings:
        partners.setdefault(seating[0], []).append(seating)
    order, met = repeat_shuffled(setting_count, sampling.seed), Counter[tuple[tuple[str, ...], int]]()
    for own in partners.values():
        for players in islice(cycle(own), sampling.games):
            market = next(order)
            yield Draw(players, market, met[players, market])
            met[players, market] += 1


def repeat_shuffled(count: int, seed: int) -> Iterator[int]:
    """The numbers 0 to count - 1 in random order, then in another one, and so on."""
    rng = np.random.default_rng(seed)
    while True:
        yield from rng.permutation(count).tolist()
