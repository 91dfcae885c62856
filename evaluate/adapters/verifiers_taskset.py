"""Matches as tasks of verifiers (``verifiers.v1``)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from econzoo.envs.core.extras import explain_missing_library
from econzoo.evaluate.adapters.open_table import AGENT, seats_of

with explain_missing_library("the adapter to verifiers", extra="verifiers"):
    import verifiers.v1 as vf

__all__ = ["MAX_AGENTS", "GameTask", "GameTaskset"]

MAX_AGENTS = 8
"""Seats that can be agents': each has a field of its own in the configuration."""


class GameConfig(vf.TasksetConfig):
    """What is played: `GameTaskset`."""

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
    """A match, which the environment scores."""


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    """Matches with the seeds from ``first_seed`` on, without end.

    ``params`` are parameters of the game and options of the environment; ``seats`` has for each seat ``"agent"``, for
    a model of verifiers', or the spec of a player; without it all are agents.
    """

    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        """The matches in order.

        Raises:
            ValueError: A name or a value is unknown or not allowed.
        """
        given = self.config
        seats = seats_of(given.game, given.seats, **given.params)
        if AGENT in seats[MAX_AGENTS:]:
            raise ValueError(f"seats: {AGENT!r} is allowed in the first {MAX_AGENTS} seats; the others need players")
        what = {"game": given.game, "params": given.params, "seats": seats}
        for seed in itertools.count(given.first_seed):
            yield GameTask(GameData(name=f"{given.game}-{seed}", seed=seed, **what), given.task)
