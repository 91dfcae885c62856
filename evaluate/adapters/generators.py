"""Separate random generators for matches of a library that uses the global `random` and `numpy.random`."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import numpy as np

__all__ = ["Generators"]

_LOCK = RLock()
"""Only one match at a time may replace the global generators."""


class Generators:
    """States of both generators.

    Args:
        seed: Seed of both, >= 0.
    """

    def __init__(self, seed: int) -> None:
        # `np.random.seed` takes 32 bits only, MT19937 a seed of any size.
        numbers = np.random.RandomState(np.random.MT19937(seed))
        self._states = random.Random(seed).getstate(), numbers.get_state()

    def _swap(self) -> None:
        current = random.getstate(), np.random.get_state()  # noqa: NPY002
        random.setstate(self._states[0])
        np.random.set_state(self._states[1])  # noqa: NPY002
        self._states = current

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Replace the states of the global generators, and restore them afterwards."""
        with _LOCK:
            self._swap()
            try:
                yield
            finally:
                self._swap()
