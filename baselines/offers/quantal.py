"""What players share that err by chance, and less where it costs them more."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from econzoo.baselines.offers.haggler import Haggler
from econzoo.baselines.strategy import Seen, argument, draw

MOST = 1e6
"""The highest precision."""

OFFER = 0
"""Number of the kind of move that names an amount."""

FIRST_ANSWER = 1
"""Number of the kind of move that accepts; those that reject and leave follow, as in `Logit.answers`."""


class QuantalHaggler(Haggler):
    """Draws its moves from a quantal response equilibrium (`econzoo.envs.families.offers.quantal`).

    It draws once a round, with its seed of the match, so that it answers the same if it is asked again.

    Args:
        spec: Its name.
        precision: From 0, where all moves are as likely, to a million.
    """

    deterministic = False

    def __init__(self, spec: str, precision: Any) -> None:
        super().__init__(spec)
        self.precision = argument(spec, "precision", precision, 0.0, MOST)

    def offers(self, view: Any) -> tuple[np.ndarray, np.ndarray]:
        """The amounts that it may name now, in dollars, and the probability of each."""
        raise NotImplementedError

    def answers(self, view: Any) -> np.ndarray:
        """Probabilities of accepting, of rejecting and, if that is possible, of opting out."""
        raise NotImplementedError

    @property
    def script(self) -> None:
        """It is no function of numbers: it goes through the whole game before its first move."""

    def move(self, seen: Seen) -> dict[str, Any]:
        """Its move as a plain dictionary, without words."""
        view, rng = self.view(seen), draw(self.seed, seen["round"])
        if not view.proposing:
            return self.actions.plain(self.actions.make(FIRST_ANSWER + choose(self.answers(view), rng), (0.0,)))
        amounts, chances = self.offers(view)
        return self.actions.plain(self.actions.make(OFFER, (float(amounts[choose(chances, rng)]),)))


def choose(chances: np.ndarray, rng: Random) -> int:
    """A place, drawn with these probabilities."""
    edges = np.cumsum(chances)
    return min(int(np.searchsorted(edges, rng.random() * edges[-1], side="right")), len(edges) - 1)
