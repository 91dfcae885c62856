"""Conformance cases of multi-issue bargaining."""

from __future__ import annotations

from econzoo.envs.core.contract import Cases, Secret

CASES = Cases(
    secrets=tuple(
        Secret(what, seat, {"messages": messages}, {"messages": messages, "values": values})
        for messages in (True, False)
        for what, seat, values in (
            ("Bob's values", 0, ((1, 3, 1), (0, 5, 0))),
            ("Alice's values", 1, ((0, 0, 9), (2, 1, 2))),
        )
    ),
    settings=(
        {"items": (5, 1), "values": ((100, 1), (0, 1)), "horizon": 2, "delta": 0.05},
        {"items": (1,), "values": ((1,), (100,)), "horizon": 3},
        {"items": (5,) * 6, "values": ((0, 1, 2, 3, 4, 5), (6, 5, 4, 3, 2, 1)), "horizon": 5},
    ),
    long={"horizon": 100},
    revealing_fields={"complete_information": ("other_values",)},
)
