"""A match some of whose seats are answered by the agents of another library, turn by turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar

from econzoo.baselines.player import Player
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.env.options import split_settings
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.run.match import seat_players
from econzoo.evaluate.run.table import EnvPool, MatchTable, new_match

__all__ = ["AGENT", "OpenTable"]

AGENT = "agent"
"""In the place of a player's spec: an agent of the other library."""


class Agent(Player):
    """Stands for an agent, which reads what a language model of ours would read."""

    face: ClassVar[str] = "chat"


class OpenTable(MatchTable):
    """A match at its first turn of an agent; whoever drives it calls `play_reply` until it is `over`, and then `close`.

    Where agents give the same replies, players by spec make the same moves as in `econzoo.play` with the same seed. The
    record is that of every other match.

    Args:
        game: Name.
        seats: Each has `AGENT` or a player's spec; None: agents in all of them.
        seed: Of the match.
        names: Of the agents in the record, one for all or one for each seat.
        **params: Parameters of the game and options of the environment, as for `econzoo.play`.

    Raises:
        ValueError: A game, spec, seed or parameter is unknown or not allowed, or no seat is an agent's.
    """

    def __init__(
        self, game: str, seats: Sequence[str] | None, seed: int, names: str | Sequence[str], **params: Any
    ) -> None:
        specs = seats_of(game, seats, **params)
        called = [names] * len(specs) if isinstance(names, str) else list(names)
        self.agents = [seat for seat, spec in enumerate(specs) if spec == AGENT]
        given = [Agent(name) if spec == AGENT else spec for spec, name in zip(specs, called, strict=True)]
        seated = seat_players(game, given)
        super().__init__(new_match(game, [player.spec for player in seated], seed, **params), seated, EnvPool())
        self.advance()

    def advance(self) -> None:
        """Asks the players until it is an agent's turn, or the match is over."""
        while not self.is_over and self.seat not in self.agents:
            self.ask()
        self._asked_at = time.perf_counter()

    def play_reply(self, reply: str) -> None:
        """Plays the reply of the agent in the `seat` to act, and the moves of the players after it."""
        self.answer(reply, time.perf_counter() - self._asked_at)
        self.advance()

    def reward(self, seat: int, objective: Objective) -> float:
        """What the end is worth to a seat; 0 where the match was cut."""
        return 0.0 if self.env.is_truncated else objective.reward(self.env.payoffs, self.env.outcome(), seat)

    def result(self, seat: int) -> dict[str, Any]:
        """The end for a seat: ``payoff`` in the game's unit, ``errors`` (unusable replies), ``forfeit``."""
        env = self.env
        return {"payoff": env.payoffs[seat], "errors": env.errors[seat], "forfeit": env.forfeiting_seat == seat}


def seats_of(game: str, given: Sequence[str] | None, **params: Any) -> list[str]:
    """For each seat `AGENT` or a player's spec.

    Raises:
        ValueError: They are more or fewer than the seats, or no agent is among them.
    """
    rules = find_game(game)
    count = rules.seats(rules.params(**split_settings(params)[1])[1])
    specs = [AGENT] * count if given is None else list(given)
    if len(specs) != count or AGENT not in specs:
        told = f"{count} specs for the seats of {game}, {AGENT!r} among them"
        raise ValueError(f"seats={specs!r} is not allowed; allowed: {told}")
    return specs
