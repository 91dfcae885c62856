"""Rules that both program games share: in every meta-round both submit at once, and points add up."""

from __future__ import annotations

from typing import Protocol

from econzoo.envs.core.game import DONE, SEVERAL


class Position(Protocol):
    """What these rules need of a position.

    Attributes:
        score: Points of both seats so far.
        over: Whether the match has ended.
    """

    @property
    def score(self) -> tuple[float, float]:
        """Points of both seats so far."""

    @property
    def over(self) -> bool:
        """Whether the match has ended."""


def to_act(p: object, s: Position) -> int:
    """Both submit at once."""
    return DONE if s.over else SEVERAL


def legal(p: object, s: Position, seat: int) -> tuple[bool]:
    """A program, in every meta-round."""
    return (not s.over,)


def payoffs(p: object, s: Position) -> tuple[float, float]:
    """Points of all turns."""
    return s.score
