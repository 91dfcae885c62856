"""Conformance cases of negotiation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from econzoo.envs.core.contract import Cases, Secret
from econzoo.envs.families.offers import unknown_horizons


def _value_secrets() -> Iterator[Secret]:
    """Private values of the other seat."""
    for messages, horizon, outside in product((True, False), (1, 5, None), (True, False)):
        common: dict[str, Any] = {"complete_information": False, "messages": messages, "horizon": horizon}
        common |= {"outside_option": outside, "max_rounds": 6}
        low, high = {"seller_value": 0.3, **common}, {"seller_value": 1.4, **common}
        yield Secret("the buyer's value", 0, {**low, "buyer_value": 0.5}, {**low, "buyer_value": 1.9})
        yield Secret("the seller's value", 1, {**low, "buyer_value": 1.2}, {**high, "buyer_value": 1.2})


CASES = Cases(
    secrets=(*_value_secrets(), *unknown_horizons()),
    settings=(
        {"horizon": 1},
        {"horizon": None, "max_rounds": 6},
        {"money": 0.01, "seller_value": 0.0, "buyer_value": 1000.0, "horizon": 3},
        {"money": 1e9, "seller_value": 1000.0, "buyer_value": 0.0, "horizon": 3},
        {"money": 99.99, "seller_value": 0.123456789, "horizon": None, "complete_information": False},
    ),
    revealing_fields={
        "seller_value": ("own_value", "other_value"),
        "buyer_value": ("own_value", "other_value"),
        "complete_information": ("other_value",),
    },
)
