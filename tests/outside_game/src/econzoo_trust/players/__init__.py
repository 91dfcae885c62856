"""Scripted players of the trust game, by name, and the pools that they make."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from econzoo.baselines.base import Player


class Trusting(Player):
    """Sends the same share of its money in every round, and gives the same share of what arrived back.

    Source: the two decisions of Berg, Dickhaut and McCabe (1995) as one number each.

    Args:
        spec: Names the player.
        sent: From 0 to 1.
        returned: From 0 to 1.
    """

    deterministic = True  # its moves are a function of what it observes

    def __init__(self, spec: str, sent: float = 0.5, returned: float = 0.5) -> None:
        super().__init__(spec)
        for name, share in (("sent", sent), ("returned", returned)):
            if not 0 <= share <= 1:
                raise ValueError(f"player {spec!r}: {name}={share!r} is not allowed; allowed: a number from 0 to 1")
        self.sent, self.returned = sent, returned

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A move as a plain dictionary: the structured face."""
        if "send" in observation["legal_actions"]:
            return {"kind": "send", "amount": self.sent * observation["money"]}
        return {"kind": "give_back", "amount": self.returned * observation["arrived"]}


PLAYERS: dict[str, Callable[..., Player]] = {"trusting": Trusting}

POOLS = {
    "standard": ["trusting", "trusting(0, 0)", "trusting(1, 0.5)", "random"],
    "training": ["trusting", "trusting(0.3, 0.3)", "random"],
    "validation": ["trusting(0.8, 0.4)"],
}
"""Whom a player meets in ``econzoo evaluate``; whom a learner meets; and whom it is tested against without having met
them."""
