"""Matches as verifiers tasks (``verifiers.v1``)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from econzoo.envs.core import explain_missing_library
from econzoo.evaluate.adapters.open_table import AGENT, seats_of

with explain_missing_library("the adapter to verifiers", extra="verifiers"):
    import verifiers.v1 as vf

__all__ = ["MAX_AGENTS", "GameTask", "GameTaskset"]

MAX_AGENTS = 8
"""Maximum number of agent seats; each is a field of the configuration."""


class GameConfig(vf.TasksetConfig):
    """Configuration of `GameTaskset`."""

    game: str = "bargaining"
    params: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)
    seats: list[str] | None = None
    first_seed: int = 0


class GameData(vf.TaskData):
    """A match."""

    game: str
    params: dict[str, Any]
    seats: list[str]
    seed: int


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """A match, scored by the environment."""


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    """Infinite sequence of matches with seeds ``first_seed``, ``first_seed + 1``, ...

    ``params`` are game parameters and environment options; ``seats`` has ``"agent"`` (a verifiers model) or a player
    spec per seat, by default agents in all seats.
    """

    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        """Yield the matches in order.

        Raises:
            ValueError: An invalid name or value.
        """
        given = self.config
        seats = seats_of(given.game, given.seats, **given.params)
        if AGENT in seats[MAX_AGENTS:]:
            raise ValueError(f"invalid seats={seats!r}: {AGENT!r} is limited to the first {MAX_AGENTS} seats")
        match = {"game": given.game, "params": given.params, "seats": seats}
        for seed in itertools.count(given.first_seed):
            yield GameTask(GameData(name=f"{given.game}-{seed}", seed=seed, **match), given.task)
