"""What the conformance suite must know about a game: secrets, odd settings, how to make matches long or short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Cases", "Secret"]


class Secret(NamedTuple):
    """Two matches that differ only in what one seat may not know: a parameter, a draw of nature, or a move of others.

    Attributes:
        description: The secret, in words.
        seat: Who may not know it.
        first_params: Public parameters of the first match.
        second_params: Public parameters of the second match.
        chance: Nature's draws in each, if the secret is one of them.
        steps: For how many steps it stays secret: a hidden horizon only as long as both matches run.
        moves: Kinds of move of the others, if it is what they do: in the second match they make another move of these
            kinds, of which nothing that the seat is shown may tell; what nature does upon it stands in `chance`.
    """

    description: str
    seat: int
    first_params: Mapping[str, Any]
    second_params: Mapping[str, Any]
    chance: tuple[list[float], list[float]] = ([], [])
    steps: int = 10_000
    moves: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cases:
    """What cannot be told from the game itself; ``CASES`` of the module ``cases`` in the game's folder.

    Attributes:
        secrets: All that a seat may not know; a game without perfect information has at least one.
        settings: Public parameters to play, besides the markets and every combination of the True/False parameters:
            the smallest and the largest, and odd ones.
        long: Public parameters with which no early end is likely, where the default is a short match.
        chance: Public parameters with which nature moves, where it does not by default.
        short: Public parameters that make a match cheap, where its turns are costly.
        revealing_fields: For a parameter the fields of views that tell it, where they are not called as it is, with
            ``own_`` or ``other_`` before it or not.
        max_moves: Moves of a match at most, whatever the parameters: 1 if it is over after one move. 0: it can be made
            longer than any test needs.
    """

    secrets: tuple[Secret, ...] = ()
    settings: tuple[Mapping[str, Any], ...] = ()
    long: Mapping[str, Any] = field(default_factory=dict)
    chance: Mapping[str, Any] = field(default_factory=dict)
    short: Mapping[str, Any] = field(default_factory=dict)
    revealing_fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    max_moves: int = 0
