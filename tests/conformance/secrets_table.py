"""What a seat may not know, game by game: the pairs of games that must look the same to it."""

from __future__ import annotations

from typing import Any, NamedTuple

ALL = 10_000


class Secret(NamedTuple):
    """Two games that differ only in what one seat may not know.

    Attributes:
        what: The secret, in words.
        seat: Who may not know it.
        one: Parameters of the first game.
        other: Parameters of the second game.
        chance: Nature's moves in each, if the secret is one of them.
        steps: For how many steps it stays secret (a hidden horizon only as long as both games run).
    """

    what: str
    seat: int
    one: dict[str, Any]
    other: dict[str, Any]
    chance: tuple[list[float], list[float]] = ([], [])
    steps: int = ALL


def _bargaining() -> list[Secret]:
    secrets = []
    for messages in (True, False):
        for horizon in (1, 5, None):
            common = {"complete_information": False, "messages": messages, "horizon": horizon, "max_rounds": 6}
            secrets += [
                Secret("seat 1's patience", 0, {"delta": (0.9, 0.8), **common}, {"delta": (0.9, 1.0), **common}),
                Secret("seat 0's patience", 1, {"delta": (0.8, 0.9), **common}, {"delta": (0.05, 0.9), **common}),
            ]
        for complete in (True, False):
            common = {"complete_information": complete, "messages": messages, "horizon": None}
            for seat in (0, 1):
                short, long = {"max_rounds": 3, **common}, {"max_rounds": 99, **common}
                secrets.append(Secret("the unknown horizon", seat, short, long, steps=6))
    return secrets


SECRETS: dict[str, list[Secret]] = {
    "bargaining": _bargaining(),
    "coin": [
        Secret("the side", 1, {"messages": messages}, {"messages": messages}, ([1.0, first], [0.0, first]), steps=2)
        for messages in (True, False)
        for first in (0.0, 1.0)
    ],
}
"""Every game without perfect information needs its secrets here."""
