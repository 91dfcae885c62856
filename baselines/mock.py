"""A player with canned replies, for tests of everything that reads free text."""

from __future__ import annotations

from typing import Any

from econzoo.baselines.player import Player, SeatInfo


class MockPlayer(Player):
    """Answers with its replies in order, whatever it reads; the last one repeats. Every match starts afresh.

    Args:
        spec: Its name.
        *replies: Raw texts, at least one; ``mock('{"kind": "accept"}')`` accepts, ``mock("hello")`` is junk.
    """

    face = "chat"

    def __init__(self, spec: str = "mock", *replies: str) -> None:
        super().__init__(spec)
        if not replies or not all(isinstance(reply, str) for reply in replies):
            raise ValueError(f"player {spec[:80]!r} is not allowed; allowed: mock(TEXT, TEXT, ...), at least one text")
        self.replies = replies
        self.given = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Goes back to the first reply."""
        self.given = 0

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        """The next reply."""
        reply = self.replies[min(self.given, len(self.replies) - 1)]
        self.given += 1
        return reply
