"""Hidden information of alternating-offers games: the horizon."""

from __future__ import annotations

from itertools import product

from econzoo.envs.core.contract import Secret


def unknown_horizons() -> tuple[Secret, ...]:
    """The unknown horizon, with and without messages and complete information."""
    secrets = []
    for messages, complete, seat in product((True, False), (True, False), (0, 1)):
        common = {"complete_information": complete, "messages": messages, "horizon": None}
        short, long = {"max_rounds": 3, **common}, {"max_rounds": 99, **common}
        secrets.append(Secret("the unknown horizon", seat, short, long, steps=6))
    return tuple(secrets)
