"""Conformance cases of the coin game."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from econzoo.envs.core.contract import Cases, Secret


def _secrets() -> Iterator[Secret]:
    for messages, size, seat in product((True, False), (2, 3), (0, 1)):
        common = {"known": False, "messages": messages, "size": size}
        yield Secret("the number of rounds", seat, {"rounds": 3, **common}, {"rounds": 99, **common}, steps=6)


CASES = Cases(
    secrets=tuple(_secrets()),
    settings=(
        {"rounds": 1},
        {"size": 2, "rounds": 4},
        {"size": 7, "rounds": 3, "known": False},
        {"size": 20, "rounds": 2},
    ),
    long={"rounds": 100},
    revealing_fields={"known": ("rounds",)},
)
