"""Moves of a learner in bargaining that leave the other seat at most a share of the money."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

from econzoo.envs.games.bargaining.rules import FEATURES

if TYPE_CHECKING:
    from econzoo.envs.core.faces import ListedMoves

__all__ = ["SecureMoves"]

ROUNDING = 1e-5
"""Above the rounding of shares in float32, below any step of a grid."""

OWN_DISCOUNT, OTHER_DISCOUNT, OFFERED, LEFT = (
    next(column for column, text in enumerate(FEATURES) if text.startswith(start))
    for start in ("own discount so far", "other's discount so far", "share of the money offered", "rounds left")
)


class SecureMoves:
    """Legal moves without those that leave the other seat more than a share of the money, discounted to round 1.

    So no opponent earns more against the learner, whatever it does. In a known last round the learner asks for no more
    than that either, which another of its kind may accept. If no move is left, all legal ones are. A discount factor
    that the learner does not know counts as 1.

    Source: Ganzfried and Sandholm (2015), Safe opponent exploitation; Johanson, Zinkevich and Bowling (2007), Computing
    robust counter-strategies.

    Args:
        moves: The moves of the learner, with amounts from 0 to all of the money.
        level: The share; above 0.5 and up to 1.
    """

    def __init__(self, moves: ListedMoves, level: float) -> None:
        self.level, count = level + ROUNDING, moves.slots.steps[0]
        kinds = [moves.slots.actions.kinds[kind].name for kind, _ in moves.moves]
        self.is_offer = torch.tensor([kind == "offer" for kind in kinds])
        self.accepts = torch.tensor([kind == "accept" for kind in kinds])
        self.asked = torch.tensor([steps[0] / (count - 1) if steps else 0.0 for _, steps in moves.moves])

    def __call__(self, seen: Tensor, legal: Tensor) -> Tensor:
        """Return the legal moves that are secure.

        Args:
            seen: Observations, of shape (games, features).
            legal: Flags of legal moves, of shape (games, moves).
        """
        own, known = seen[:, OWN_DISCOUNT, None], seen[:, OTHER_DISCOUNT, None]
        other = known.where(known >= 0, 1.0)
        is_last = seen[:, LEFT, None] == 1
        gives_too_much = self.is_offer & (
            ((1 - self.asked) * other > self.level) | is_last & (self.asked * own > self.level)
        )
        takes_too_little = self.accepts & ((1 - seen[:, OFFERED, None]) * other > self.level)
        secure = legal & ~gives_too_much & ~takes_too_little
        return secure.where(secure.any(1, keepdim=True), legal)
