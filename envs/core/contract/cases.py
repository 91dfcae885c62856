"""Test cases that a game declares for the conformance suite: secrets, edge-case settings, long and short matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Cases", "Secret"]


class Secret(NamedTuple):
    """Two matches that differ only in information hidden from one seat: a parameter, a chance move or others' moves.

    Attributes:
        description: Text for error messages.
        seat: Seat from which it is hidden.
        first_params: Public parameters of the first match.
        second_params: Public parameters of the second match.
        chance: Chance moves of each match, if the secret is one of them.
        steps: Number of steps during which it is hidden: a hidden horizon only while both matches run.
        moves: Kinds of move, if others' moves are hidden: in the second match they make another move of these kinds,
            which no observation of the seat may reveal; chance moves that follow are in `chance`.
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
    """Test cases of a game: ``CASES`` of the module ``cases`` in its folder.

    Attributes:
        secrets: All hidden information; at least one unless the game has perfect information.
        settings: Public parameters to test besides the scenarios and all combinations of flags: extremes and
            edge cases.
        long: Public parameters under which matches are long, if the default match is short.
        chance: Public parameters under which nature moves, if it does not by default.
        short: Public parameters of a cheap match, if turns are expensive.
        revealing_fields: Parameter to the fields of views that reveal it, unless they have its name, with or
            without the prefix ``own_`` or ``other_``.
        max_moves: Largest number of moves of a match under any parameters, e.g. 1 for a one-shot game; 0: no
            limit that matters for tests.
    """

    secrets: tuple[Secret, ...] = ()
    settings: tuple[Mapping[str, Any], ...] = ()
    long: Mapping[str, Any] = field(default_factory=dict)
    chance: Mapping[str, Any] = field(default_factory=dict)
    short: Mapping[str, Any] = field(default_factory=dict)
    revealing_fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    max_moves: int = 0
