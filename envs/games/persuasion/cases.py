"""Conformance cases of persuasion.

What a myopic buyer may not know of the past depends on the moves and is not among the secrets here.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from econzoo.envs.core.contract import Cases, Secret

DRAWS = [1.0, 0.0, 0.0, 1.0]


def _quality_secrets(common: dict[str, Any]) -> Iterator[Secret]:
    """Of the product of the first, the second and the third round."""
    for first in ([], [1.0], [0.0, 1.0]):
        good, bad = [*first, 1.0], [*first, 0.0]
        until_decided = 2 * len(good)
        yield Secret("the quality of the product", 1, common, common, (good, bad), until_decided)


def _secrets() -> Iterator[Secret]:
    for words, buyer in product(("text", "binary"), ("long-living", "myopic")):
        common = {"message_type": words, "buyer": buyer, "rounds": 4}
        yield from _quality_secrets(common)
        private = {"seller_knows_value": False, **common}
        yield Secret("what high quality is worth", 0, {"high_value": 1.25, **private}, {"high_value": 3.0, **private})
        yield Secret("what low quality is worth", 0, {"low_value": 0.0, **private}, {"low_value": 0.75, **private})
        rare, often = ({"prior": prior, "buyer_knows_prior": False, **common} for prior in (0.25, 0.75))
        yield Secret("the prior", 1, rare, often, (DRAWS, DRAWS))
        for seat in (0, 1):
            short, long = ({**common, "rounds": None, "max_rounds": ends} for ends in (2, 40))
            yield Secret("the unknown number of rounds", seat, short, long, (DRAWS[:2], DRAWS[:2]), steps=4)
        if buyer == "myopic":
            short, long = {**common, "rounds": 2}, {**common, "rounds": 40}
            yield Secret("the number of rounds", 1, short, long, (DRAWS[:2], DRAWS[:2]), steps=4)


CASES = Cases(
    secrets=tuple(_secrets()),
    settings=(
        {"rounds": 1, "prior": 0.0, "high_value": 1.0},
        {"rounds": 3, "prior": 1.0, "low_value": 1.0, "price": 1e12, "message_type": "binary"},
        {"rounds": 4, "prior": 1 / 3, "high_value": 1000.0, "price": 0.01, "buyer": "myopic", "buyer_messages": True},
        {"rounds": None, "max_rounds": 4, "message_type": "binary"},
        {"rounds": None, "buyer": "myopic", "statistics": "counts"},
        {"rounds": 6, "buyer": "myopic", "messages": False, "seller_knows_value": False, "buyer_knows_prior": False},
    ),
    revealing_fields={
        "message_type": ("binary", "words"),
        "messages": ("words",),
        "buyer": ("myopic",),
        "statistics": ("sold", "sold_low"),
    },
)
