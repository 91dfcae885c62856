"""Players of bargaining for the tests of the wrappers, which know no library of players."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np


class Asks:
    """Asks for a share of the money and accepts what leaves it that share."""

    face = "structured"

    def __init__(self, share: float = 0.5) -> None:
        self.share, self.spec = share, f"asks({share})"
        self.finished = 0

    def reset(self, seat: int, info: Any, seed: int) -> None:
        self.seat, self.info, self.seed = seat, info, seed

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        if "offer" in observation["legal_actions"]:
            return {"kind": "offer", "gain": self.share * observation["money"]}
        wanted = self.share * observation["money"] - 1e-9
        return {"kind": "accept" if observation["offered"] >= wanted else "reject"}

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        assert {"payoff", "position_payoff"} & set(info)
        self.finished += 1

    def can_take_seat(self, seat: int) -> bool:
        return True

    def fork(self) -> Asks:
        return copy.copy(self)


class Noisy(Asks):
    """Draws the share it asks for with its own seed."""

    def reset(self, seat: int, info: Any, seed: int) -> None:
        super().reset(seat, info, seed)
        self.share = float(np.random.default_rng(seed).uniform(0.3, 0.7))


class Writes(Asks):
    """Reads and writes text."""

    face = "chat"
    wants_schema = True

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        assert isinstance(observation["text"], str)
        assert "legal" not in info
        assert self.info.rules
        names = json.dumps(info["json_schema"])
        move = {"kind": "offer", "gain": 5000} if '"offer"' in names else {"kind": "reject"}
        return f"Here: {json.dumps(move)}"

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        self.finished += 1


class Babbles(Writes):
    """Never answers with a move."""

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        return "no idea"


class Counts:
    """Plays the first legal number in any game."""

    face = "numeric"
    spec = "counts"

    def reset(self, seat: int, info: Any, seed: int) -> None:
        self.seat = seat

    def act(self, observation: Any, info: dict[str, Any]) -> int:
        return int(np.flatnonzero(info["action_mask"])[self.seat % 2])

    def on_elimination(self, observation: Any, info: dict[str, Any]) -> None:
        pass

    def finish(self, observation: Any, info: dict[str, Any]) -> None:
        pass

    def can_take_seat(self, seat: int) -> bool:
        return True

    def fork(self) -> Counts:
        return copy.copy(self)
