"""Players of any game: a random baseline, and canned replies for tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from econzoo.baselines.base import Player
from econzoo.envs.core.contract import ActionSchema, Bounds, Game, Number, Script, random_move
from econzoo.wrappers import SeatInfo

MESSAGES = (
    "What do you think of this?",
    "I hope this works for you.",
    "Let us see how this goes.",
    "Why not?",
    "This seems fine to me.",
)
MESSAGE_PROBABILITY = 0.3
"""Probability of a message with a move that can have one."""

TRIES = 100
"""Maximum samples of a move whose numbers are jointly illegal."""


class RandomPlayer(Player):
    """Chooses a legal kind of move uniformly at random, and its numbers uniformly over their usual range.

    Amounts are rounded to five digits of their range (or to integers where required) for readability. The same seed
    gives the same match.

    Source: the zero-intelligence traders of Gode and Sunder (1993), Allocative efficiency of markets with
    zero-intelligence traders.
    """

    script = Script(random_move)

    def __init__(self, spec: str = "random") -> None:
        super().__init__(spec)
        self.game: Game | None = None
        self.messages = False
        self.rng = np.random.default_rng(0)

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.game, self.messages = info.game, info.messages is True
        # Only some rules refuse moves whose numbers are jointly illegal; the check costs the information state.
        self.rng, self.wants_seen = np.random.default_rng(seed), info.game.rules.refuses is not None

    def act(self, observation: Any, info: dict[str, Any]) -> dict[str, Any]:
        """Return a legal move as a plain dictionary."""
        assert self.game is not None, "act requires a reset"
        actions = self.game.actions.fit_to_bounds(observation["bounds"])
        for _ in range(TRIES):
            action = self._draw_move(actions, observation)
            if "seen" not in info or actions.validate_action(action, info["seen"].legal) is action:
                break
        return actions.to_plain(action)

    def _draw_move(self, actions: ActionSchema, observation: Any) -> Any:
        names = observation["legal_actions"]
        index = actions.index[names[int(self.rng.integers(len(names)))]]
        kind, own = actions.kinds[index], observation["span"][actions.first[index] :]
        # Not strict: `own` goes on with the numbers of later kinds.
        values = [self._number(mark, usual) for mark, usual in zip(actions.marks[index], own, strict=False)]
        if kind.source is not None:
            values = [float(self.rng.integers(len(kind.source.library())))]
        # Drawn even without messages, so that the same seed gives the same moves.
        speaks = kind.message and self.rng.random() < MESSAGE_PROBABILITY
        words = MESSAGES[int(self.rng.integers(len(MESSAGES)))] if speaks else ""
        return actions.make(index, values, words if self.messages else "")

    def _number(self, mark: Number, usual: Bounds) -> float:
        if mark.is_discrete:
            return mark.sample(usual, self.rng)
        (low, high), drawn = usual, usual[0] + (usual[1] - usual[0]) * float(self.rng.random())
        digits = 4 - math.floor(math.log10(high - low)) if high > low else 0
        amount = float(min(max(round(drawn, digits), low), high))
        return float(round(amount)) if mark.is_integer else amount


class MockPlayer(Player):
    """Gives canned replies in order in every match; the last one repeats."""

    face = "chat"

    def __init__(self, spec: str = "mock", *replies: str) -> None:
        super().__init__(spec)
        if not replies or not all(isinstance(reply, str) for reply in replies):
            raise ValueError(f"invalid player {spec[:80]!r}: expected mock(TEXT, TEXT, ...) with at least one text")
        self.replies = replies
        self.given = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Return to the first reply."""
        self.given = 0

    def act(self, observation: Any, info: dict[str, Any]) -> str:
        reply = self.replies[min(self.given, len(self.replies) - 1)]
        self.given += 1
        return reply
