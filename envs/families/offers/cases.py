"""What may not be known in games of alternating offers: how long they last."""

from __future__ import annotations

from itertools import product

from econzoo.envs.core.contract.cases import Secret


def unknown_horizons() -> tuple[Secret, ...]:
    """With and without words and knowledge of the other."""
    secrets = []
    for messages, complete, seat in product((True, False), (True, False), (0, 1)):
        common = {"complete_information": complete, "messages": messages, "horizon": None}
        short, long = {"max_rounds": 3, **common}, {"max_rounds": 99, **common}
        secrets.append(Secret("the unknown horizon", seat, short, long, steps=6))
    return tuple(secrets)
