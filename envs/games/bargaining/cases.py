"""Conformance cases of bargaining."""

from __future__ import annotations

from collections.abc import Iterator

from econzoo.envs.core.contract import Cases, Secret
from econzoo.envs.families.offers import unknown_horizons


def _patience_secrets() -> Iterator[Secret]:
    """Private discount factors of the other seat."""
    for messages in (True, False):
        for horizon in (1, 5, None):
            common = {"complete_information": False, "messages": messages, "horizon": horizon, "max_rounds": 6}
            yield Secret("seat 1's patience", 0, {"delta": (0.9, 0.8), **common}, {"delta": (0.9, 1.0), **common})
            yield Secret("seat 0's patience", 1, {"delta": (0.8, 0.9), **common}, {"delta": (0.05, 0.9), **common})


CASES = Cases(
    secrets=(*_patience_secrets(), *unknown_horizons()),
    settings=(
        {"horizon": 1},
        {"horizon": None, "max_rounds": 6},
        {"money": 0.01, "delta": (1.0, 0.05)},
        {"money": 1e12, "delta": (0.8, 1.0), "horizon": 3},
        {"money": 99.99, "delta": (0.123456789, 0.95), "horizon": None, "complete_information": False},
    ),
    revealing_fields={"complete_information": ("other_delta",)},
)
