"""A player under observation: everything that it saw and answered is kept."""

from __future__ import annotations

from typing import Any

from econzoo.baselines import Player, player
from econzoo.wrappers import SeatInfo


class Watched(Player):
    """Plays what another player plays.

    Attributes:
        seen: Observations and answers, in order, of all matches.
    """

    def __init__(self, spec: str, game: str) -> None:
        super().__init__(spec)
        self.inner = player(spec, game)
        self.deterministic = self.inner.deterministic
        self.seen: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.inner.reset(seat, info, seed)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        answer = self.inner.act(observation, info)
        assert self.inner.act(observation, info) == answer, "asked again, it says something else"
        self.seen.append((observation, answer))
        return answer

    def fork(self) -> Player:
        made = super().fork()
        made.inner = self.inner.fork()
        return made
