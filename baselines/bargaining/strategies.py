"""Scripted strategies of bargaining (to be completed)."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.player import Player, SeatInfo


class BargainingPlayer(Player):
    """A strategy that is a function of what the seat has observed."""

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.messages = info.messages

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        if "offer" in observation["legal_actions"]:
            ask = self.ask(observation)
            words = {"message": self.say(observation, ask)} if self.messages else {}
            return {"kind": "offer", "gain": ask, **words}
        return {"kind": "accept" if self.accepts(observation) else "reject"}

    def ask(self, seen: dict[str, Any]) -> float:
        raise NotImplementedError

    def accepts(self, seen: dict[str, Any]) -> bool:
        raise NotImplementedError

    def say(self, seen: dict[str, Any], ask: float) -> str:
        return ""


class Fair(BargainingPlayer):
    def ask(self, seen):
        return seen["money"] / 2

    def accepts(self, seen):
        return seen["offered"] >= seen["money"] / 2


class Boulware(BargainingPlayer):
    def __init__(self, spec, e=0.2):
        super().__init__(spec)
        self.e = e

    def target(self, seen):
        horizon = seen["horizon"] or 99
        t = min(1.0, (seen["round"] - 1) / max(1, horizon - 1))
        return seen["money"] * (1 - 0.5 * t ** (1 / self.e))

    def ask(self, seen):
        return self.target(seen)

    def accepts(self, seen):
        return seen["offered"] >= self.target(seen)
