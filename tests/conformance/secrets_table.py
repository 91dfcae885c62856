"""What a seat may not know, game by game: the pairs of games that must look the same to it."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

from econzoo.envs.games.code_reading.items import members
from econzoo.envs.games.multi_issue import cases as multi_issue_cases

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


def _unknown_horizons() -> list[Secret]:
    """Of games of alternating offers, with and without words and knowledge of the other."""
    secrets = []
    for messages, complete, seat in product((True, False), (True, False), (0, 1)):
        common = {"complete_information": complete, "messages": messages, "horizon": None}
        short, long = {"max_rounds": 3, **common}, {"max_rounds": 99, **common}
        secrets.append(Secret("the unknown horizon", seat, short, long, steps=6))
    return secrets


def _bargaining() -> list[Secret]:
    secrets = []
    for messages in (True, False):
        for horizon in (1, 5, None):
            common = {"complete_information": False, "messages": messages, "horizon": horizon, "max_rounds": 6}
            secrets += [
                Secret("seat 1's patience", 0, {"delta": (0.9, 0.8), **common}, {"delta": (0.9, 1.0), **common}),
                Secret("seat 0's patience", 1, {"delta": (0.8, 0.9), **common}, {"delta": (0.05, 0.9), **common}),
            ]
    return [*secrets, *_unknown_horizons()]


def _persuasion() -> list[Secret]:
    """What a myopic buyer may not know of the past depends on the moves; tests/games/persuasion compare that."""
    secrets, draws = [], [1.0, 0.0, 0.0, 1.0]
    for words, buyer in (("text", "long-living"), ("binary", "long-living"), ("text", "myopic"), ("binary", "myopic")):
        common = {"message_type": words, "buyer": buyer, "rounds": 4}
        for first in ([], [1.0], [0.0, 1.0]):
            good, bad = [*first, 1.0], [*first, 0.0]
            steps = 2 * len(good)  # until the buyer has decided about it
            secrets.append(Secret("the quality of the product", 1, common, common, (good, bad), steps))
        private = {"seller_knows_value": False, **common}
        secrets += [
            Secret("what high quality is worth", 0, {"high_value": 1.25, **private}, {"high_value": 3.0, **private}),
            Secret("what low quality is worth", 0, {"low_value": 0.0, **private}, {"low_value": 0.75, **private}),
        ]
        rare, often = ({"prior": prior, "buyer_knows_prior": False, **common} for prior in (0.25, 0.75))
        secrets.append(Secret("the prior", 1, rare, often, (draws, draws)))
        if buyer == "myopic":
            short, long = {**common, "rounds": 2}, {**common, "rounds": 40}
            secrets.append(Secret("the number of rounds", 1, short, long, (draws[:2], draws[:2]), steps=4))
    return secrets


def _negotiation() -> list[Secret]:
    secrets = []
    for messages in (True, False):
        for horizon in (1, 5, None):
            for outside in (True, False):
                common: dict[str, Any] = {"complete_information": False, "messages": messages, "horizon": horizon}
                common |= {"outside_option": outside, "max_rounds": 6}
                low, high = {"seller_value": 0.3, **common}, {"seller_value": 1.4, **common}
                secrets += [
                    Secret("the buyer's value", 0, {**low, "buyer_value": 0.5}, {**low, "buyer_value": 77.0}),
                    Secret("the seller's value", 1, {**low, "buyer_value": 1.2}, {**high, "buyer_value": 1.2}),
                ]
    return [*secrets, *_unknown_horizons()]


def _matrix() -> list[Secret]:
    """The number of rounds where it is hidden, and whose choice nature will turn round in this or the next round."""
    secrets = []
    for seat, messages, noise in product((0, 1), (True, False), (0.0, 0.2)):
        hidden: dict[str, Any] = {"known": False, "messages": messages, "noise": noise}
        short, long = {"rounds": 3, **hidden}, {"rounds": 99, **hidden}
        steady = [0.0, 0.0, 0.0] if noise else []
        secrets.append(Secret("the number of rounds", seat, short, long, (steady, steady), steps=6))
        if noise:
            common = {"rounds": 4, "known": messages, "messages": messages, "noise": noise}
            secrets += [
                Secret("coming noise", seat, common, common, ([*before, 0.0], [*before, slip]), 2 * len(before) + 2)
                for before in ([], [2.0])
                for slip in (1.0, 2.0, 3.0)
            ]
    return secrets


def _coin_game() -> list[Secret]:
    secrets = []
    for messages, size, seat in product((True, False), (2, 3), (0, 1)):
        common = {"known": False, "messages": messages, "size": size}
        secrets.append(Secret("the number of rounds", seat, {"rounds": 3, **common}, {"rounds": 99, **common}, steps=6))
    return secrets


SECRETS: dict[str, list[Secret]] = {
    "bargaining": _bargaining(),
    "negotiation": _negotiation(),
    "multi_issue": [*multi_issue_cases.CASES.secrets],
    "persuasion": _persuasion(),
    "code_reading": [
        # The label is settled by the program; what hides is which programs the one shown was drawn from.
        Secret("the set", 0, {"items": "all"}, {"items": chosen}, ([float(first)], [float(first)]))
        for chosen in ("training", "held-out")
        for first in members(chosen)[:2]
    ],
    "coin_game": _coin_game(),
    "matrix": _matrix(),
    "coin": [
        Secret("the side", 1, {"messages": messages}, {"messages": messages}, ([1.0, first], [0.0, first]), steps=2)
        for messages in (True, False)
        for first in (0.0, 1.0)
    ],
    "division": [
        Secret(
            "what the items are worth to seat 1",
            0,
            {"worth": ((4, 3, 1), (2, 1, 2))},
            {"worth": ((4, 3, 1), (9, 1, 2))},
        ),
        Secret(
            "what the items are worth to seat 0",
            1,
            {"worth": ((4, 3, 1), (2, 1, 2))},
            {"worth": ((1, 1, 9), (2, 1, 2))},
        ),
    ],
    "talk_then_bid": [
        Secret("whether the thing is good", seat, {}, {}, ([0.0, 1.0], [0.0, 0.0]), steps=3) for seat in (1, 2)
    ],
    "tender": [Secret("what others value the thing at", 0, {}, {}, ([5.0, 1.25, 2.0], [5.0, 7.5, 2.0]), steps=10)],
}
"""Every game without perfect information needs its secrets here."""
