"""Where the random numbers of a meta-round come from: no program can find out those of the other, or nature's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from econzoo.envs.core.contract.streams import keyed, stretched

Derived = Callable[..., int]
"""From a seed and more to another seed."""


class Luck:
    """The random numbers of a meta-round.

    Nature's are the same whoever plays. Those of the programs depend on both sources too: whoever knew the seed and
    took the time to compute them beforehand could not write them into a program, because that changes them.

    Args:
        seed: Of the meta-round.
        derived: `stretched`, unless nobody could guess `seed` anyway; then `keyed` will do.
    """

    def __init__(self, seed: int, derived: Derived = stretched) -> None:
        self._seed, self._derived = seed, derived

    @cached_property
    def nature(self) -> np.random.Generator:
        """Draws nature's moves; made when it is first needed."""
        return np.random.default_rng(self._derived(self._seed, "nature"))

    def of_programs(self, sources: Sequence[str]) -> tuple[tuple[int, int], np.random.Generator]:
        """The seeds of both programs, neither of which tells the other, and what draws moves in an answer's place."""
        root = self._derived(self._seed, *sources)
        return (keyed(root, 0), keyed(root, 1)), np.random.default_rng(keyed(root, "moves"))
