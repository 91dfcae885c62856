"""What the scripted strategies of persuasion share."""

from __future__ import annotations

from typing import Any, ClassVar

from econzoo.baselines.persuasion.signals import AGAINST, FOR, RECOMMENDED, heard
from econzoo.baselines.player import Player, SeatInfo
from econzoo.baselines.strategy import Seen
from econzoo.envs.games.persuasion.rules import BUYER, SAY, SELLER


class Seller(Player):
    """A strategy that recommends products or advises against them; a subclass says which (`recommends`).

    Where the seller has to use words it says one of two sentences that mean the same, and where words are switched off
    it says nothing.
    """

    seats: ClassVar[tuple[int, ...] | None] = (SELLER,)

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._against: dict[str, Any] = {}
        self._for: dict[str, Any] = {}

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Learns in which form to signal."""
        if info.view.binary:
            self._against, self._for = {"kind": "discourage"}, {"kind": "recommend"}
        elif info.messages:
            self._against, self._for = {"kind": "say", "message": AGAINST}, {"kind": "say", "message": FOR}
        else:
            self._against = self._for = {"kind": "say"}

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A recommendation or its contrary."""
        return dict(self._for if self.recommends(observation) else self._against)

    def recommends(self, seen: Seen) -> bool:
        """Whether it recommends the product of this round."""
        raise NotImplementedError


class Buyer(Player):
    """A strategy that buys or declines, given the signal it heard; a subclass says when (`buys`)."""

    seats: ClassVar[tuple[int, ...] | None] = (BUYER,)

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A purchase or a refusal, without words."""
        return {"kind": "buy" if self.buys(observation, signal_of(observation)) else "decline"}

    def buys(self, seen: Seen, signal: int) -> bool:
        """Whether it buys the product of this round after this signal."""
        raise NotImplementedError


class Remembering(Buyer):
    """A buyer who keeps count of what followed on each signal: one step a round, however long the past.

    Myopic buyers are new every round: their record is empty.

    Attributes:
        record: For each signal the number of products of low and of high quality, in the rounds before this one.
        deceived: Whether the product before was recommended and of low quality.
    """

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self._forget()

    def _forget(self) -> None:
        self.record = [[0, 0], [0, 0], [0, 0]]
        self.deceived = False
        self._round, self._signal = 0, -1

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Forgets everything."""
        self._forget()

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """A purchase or a refusal, after a look at what the last product was."""
        signal = signal_of(observation)
        if observation["round"] > self._round:
            if self._round and observation["last_quality"] is not None:
                self._learn(int(observation["last_quality"]))
            self._round = observation["round"]
        self._signal = signal
        return {"kind": "buy" if self.buys(observation, signal) else "decline"}

    def _learn(self, quality: int) -> None:
        self.record[self._signal][quality] += 1
        self.deceived = self._signal == RECOMMENDED and not quality


def signal_of(seen: Seen) -> int:
    """The signal of this round: the seller's move, or what is heard in its words."""
    said: int = seen["said"]
    return heard(seen["history"][-1].get("message", "")) if said == SAY else said
