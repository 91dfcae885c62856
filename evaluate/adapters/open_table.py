"""A match with seats controlled by agents of another library, turn by turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar

from econzoo.baselines import Player
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.env import split_settings
from econzoo.evaluate.run import EnvPool, MatchTable, new_match, seat_players

__all__ = ["AGENT", "OpenTable"]

AGENT = "agent"
"""Spec of a seat controlled by the other library."""


class Agent(Player):
    """Placeholder of an agent, which reads the prompts of a language-model player."""

    face: ClassVar[str] = "chat"


class OpenTable(MatchTable):
    """A match at the first turn of an agent; call `play_reply` until `is_over`, then `close`.

    Given the same replies, players by spec make the same moves as in `econzoo.play` with the same seed, and the record
    has the same form.

    Args:
        seats: `AGENT` or a player spec per seat; None: agents in all seats.
        names: Names of the agents in the record, one for all or one per seat.
    """

    def __init__(
        self, game: str, seats: Sequence[str] | None, seed: int, names: str | Sequence[str], **params: Any
    ) -> None:
        specs = seats_of(game, seats, **params)
        agent_names = [names] * len(specs) if isinstance(names, str) else list(names)
        self.agents = [seat for seat, spec in enumerate(specs) if spec == AGENT]
        given = [Agent(name) if spec == AGENT else spec for spec, name in zip(specs, agent_names, strict=True)]
        seated = seat_players(game, given)
        super().__init__(new_match(game, [player.spec for player in seated], seed, **params), seated, EnvPool())
        self.advance()

    def advance(self) -> None:
        """Play until an agent's turn or the end of the match."""
        while not self.is_over and self.seat not in self.agents:
            self.ask()
        self._asked_at = time.perf_counter()

    def play_reply(self, reply: str) -> None:
        """Play the reply of the agent to act, and the following moves of players."""
        self.answer(reply, time.perf_counter() - self._asked_at)
        self.advance()

    def reward(self, seat: int, objective: Objective) -> float:
        """Reward of a seat at the end (`econzoo.envs.core.contract.objectives`); 0 if the match was truncated."""
        return 0.0 if self.env.is_truncated else self.env.learner_reward(seat, objective)

    def result(self, seat: int) -> dict[str, Any]:
        """Result of a seat: ``payoff`` in the game's unit, ``errors`` (invalid replies), ``forfeit``."""
        env = self.env
        return {"payoff": env.payoffs[seat], "errors": env.errors[seat], "forfeit": env.forfeiting_seat == seat}


def seats_of(game: str, given: Sequence[str] | None, **params: Any) -> list[str]:
    """Validate the specs of all seats, with `AGENT` for agents."""
    rules = find_game(game)
    count = rules.seats(rules.params(**split_settings(params)[1])[1])
    specs = [AGENT] * count if given is None else list(given)
    if len(specs) != count or AGENT not in specs:
        raise ValueError(f"invalid seats={specs!r}: expected {count} specs for {game}, with {AGENT!r} among them")
    return specs
