"""What players share whose strategies are functions of numbers that draw lots."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import Seen
from econzoo.envs.core.contract.scripts import NO_LUCK, Luck, Past


class ScriptedPlayer(Player):
    """A player of a script (`econzoo.envs.core.contract.scripts.Script`), which it keeps nothing for but its seed.

    Attributes:
        numbers: Its arguments.
        blank: What it remembers at the start.
        seed: Of its draws in this match.
    """

    numbers: tuple[float, ...] = ()
    blank: ClassVar[tuple[float, ...]] = ()

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.seed = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Keeps the seed of its draws."""
        self.seed = seed

    @staticmethod
    def note(v: Any, past: Past) -> None:
        """Writes down what a view shows, for who remembers."""

    def past(self, seen: Seen) -> Past:
        """What it remembers of the match."""
        return ()

    def luck(self, round: int) -> Luck:
        """Its luck of a round."""
        return NO_LUCK
