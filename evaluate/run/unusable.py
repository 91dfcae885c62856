"""Why a published game cannot be taken over, or one of ours not be given back."""

from __future__ import annotations


class UnusableError(ValueError):
    """A game that cannot be taken over.

    Attributes:
        kind: A few words, for counting.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind
