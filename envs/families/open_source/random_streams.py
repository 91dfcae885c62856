"""Where the random numbers of a meta-round come from: no program can find out those of the other, or nature's."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from econzoo.envs.core.contract.streams import hash_seed, stretch_seed

SeedDerivation = Callable[..., int]
"""From a seed and more to another seed."""


class RandomStreams:
    """The random numbers of a meta-round.

    Nature's are the same whoever plays. Those of the programs depend on both sources too: whoever knew the seed and
    took the time to compute them beforehand could not write them into a program, because that changes them.

    Args:
        seed: Of the meta-round.
        derive_seed: `stretch_seed`, unless nobody could guess `seed` anyway; then `keyed` will do.
    """

    def __init__(self, seed: int, derive_seed: SeedDerivation = stretch_seed) -> None:
        self._seed, self._derive_seed = seed, derive_seed

    @cached_property
    def nature(self) -> np.random.Generator:
        """Draws nature's moves; made when it is first needed."""
        return np.random.default_rng(self._derive_seed(self._seed, "nature"))

    def program_seeds(self, sources: Sequence[str]) -> tuple[int, int]:
        """The seeds of both programs, neither of which tells the other; quickly made where neither program draws."""
        root = (self._derive_seed if any(map(may_use_random, sources)) else hash_seed)(self._seed, *sources)
        return hash_seed(root, 0), hash_seed(root, 1)

    def substitute_generator(self, sources: Sequence[str]) -> np.random.Generator:
        """Draws moves in the place of answers that two programs failed to give."""
        return np.random.default_rng(hash_seed(self._derive_seed(self._seed, *sources), "moves"))


def may_use_random(source: str) -> bool:
    """Whether a program could draw random numbers of its own: for that it has to name the module `random`.

    One that simulates a source which it puts together reads random numbers without the word: those of the fast
    derivation, from which nothing of nature's follows.
    """
    return "random" in unicodedata.normalize("NFKC", source)  # as Python reads names
