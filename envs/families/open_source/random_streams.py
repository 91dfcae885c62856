"""Random numbers of a meta-round; no program can predict those of the other or nature's."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from econzoo.envs.core.contract import hash_seed, stretch_seed

SeedDerivation = Callable[..., int]
"""Function from a seed and further keys to a derived seed."""


class RandomStreams:
    """The random numbers of a meta-round.

    Nature's are the same for all programs. Those of the programs depend on both sources too: precomputed numbers cannot
    be written into a program, because that changes them.

    Args:
        derive_seed: `stretch_seed`; or `hash_seed` if `seed` cannot be guessed.
    """

    def __init__(self, seed: int, derive_seed: SeedDerivation = stretch_seed) -> None:
        self._seed, self._derive_seed = seed, derive_seed

    @cached_property
    def nature(self) -> np.random.Generator:
        """Generator of nature's moves."""
        return np.random.default_rng(self._derive_seed(self._seed, "nature"))

    def program_seeds(self, sources: Sequence[str]) -> tuple[int, int]:
        """Seeds of both programs, neither of which reveals the other; fast if no program uses random numbers."""
        root = (self._derive_seed if any(map(may_use_random, sources)) else hash_seed)(self._seed, *sources)
        return hash_seed(root, 0), hash_seed(root, 1)

    def substitute_generator(self, sources: Sequence[str]) -> np.random.Generator:
        """Generator of random moves in place of failed answers."""
        return np.random.default_rng(hash_seed(self._derive_seed(self._seed, *sources), "moves"))


def may_use_random(source: str) -> bool:
    """Whether a program may use random numbers, for which it must name the module `random`.

    A program that assembles a source and simulates it gets random numbers without the name: those of the fast
    derivation, which reveal nothing of nature's.
    """
    return "random" in unicodedata.normalize("NFKC", source)  # the normalisation of Python's identifiers
