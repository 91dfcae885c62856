"""The player that chooses by chance: the floor of every comparison, in any game."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.game import Game

WORDS = (
    "What do you think of this?",
    "I hope this works for you.",
    "Let us see how this goes.",
    "Why not?",
    "This seems fine to me.",
)
TALKS = 0.3
"""How often a move that can carry words does."""


class RandomPlayer(Player):
    """Chooses uniformly among the kinds of move possible now, and the amount uniformly among the usual ones.

    Amounts are rounded to five digits of their range (or to whole numbers where only these are allowed), so that
    people can read them. A match is the same again
    with the same seed.

    Source: the zero-intelligence traders of Gode and Sunder (1993), Allocative efficiency of markets with
    zero-intelligence traders.
    """

    def __init__(self, spec: str = "random") -> None:
        super().__init__(spec)
        self.game: Game | None = None
        self.messages = False
        self.rng = np.random.default_rng(0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Starts a generator of its own."""
        self.game, self.messages = info.game, info.messages
        self.rng = np.random.default_rng(seed)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A legal move as a plain dictionary."""
        assert self.game is not None, "reset comes before act"
        actions = self.game.actions
        names = observation["legal_actions"]
        index = actions.index[names[int(self.rng.integers(len(names)))]]
        amount = self._amount(*observation["span"]) if actions.kinds[index].amount else 0.0
        source = actions.kinds[index].source
        if source is not None:
            amount = float(self.rng.integers(len(source.library())))
        amount = float(round(amount)) if actions.kinds[index].whole else amount
        # Drawn whether or not it may speak: the same seed gives the same moves with messages and without.
        speaks = actions.kinds[index].message and self.rng.random() < TALKS
        words = WORDS[int(self.rng.integers(len(WORDS)))] if speaks else ""
        return actions.plain(actions.make(index, amount, words if self.messages else ""))

    def _amount(self, low: float, high: float) -> float:
        drawn = low + (high - low) * float(self.rng.random())
        digits = 4 - math.floor(math.log10(high - low)) if high > low else 0
        return float(min(max(round(drawn, digits), low), high))
