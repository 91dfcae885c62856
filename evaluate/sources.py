"""Matches that were played elsewhere: their seeds, and why one cannot be taken over."""

from __future__ import annotations

import hashlib


class UnusableError(ValueError):
    """A game that cannot be taken over.

    Attributes:
        kind: A few words, for counting.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def seed_of(source: str, name: str) -> int:
    """The seed of an imported match: it draws nothing, but tells matches of one market and the same players apart.

    Args:
        source: Where it comes from, as in the record's ``source["format"]``.
        name: What it is called there.
    """
    return int.from_bytes(hashlib.sha256(f"{source}/{name}".encode()).digest()[:8]) >> 1
