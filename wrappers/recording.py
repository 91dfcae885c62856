"""Wrapper that records matches."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.contract import check_list
from econzoo.envs.core.faces import TextFace
from econzoo.envs.core.record import Record, RecordFile, record_answer, record_result, start_record
from econzoo.wrappers.face import check_aec_env
from econzoo.wrappers.seating import seat_info

__all__ = ["RecordMatch"]


class RecordMatch(BaseWrapper):
    """Records the current match, and appends the record to a file when the match ends.

    Apply it directly to the environment, inside other wrappers, to record the actions that the rules see. Unfinished
    matches are not recorded. Records replay if `reset` was given a seed.

    Args:
        env: Environment of this package.
        players: Name of the player of each seat.
        path: Record file, or None.

    Raises:
        ValueError: The number of players differs from the number of seats.
    """

    def __init__(self, env: Any, players: Sequence[str], path: str | Path | None = None) -> None:
        super().__init__(check_aec_env(env))
        names = check_list("players", players, str, f"{len(env.possible_agents)} names")
        if len(names) != len(env.possible_agents):
            raise ValueError(f"invalid players={players!r}: expected {len(env.possible_agents)} names")
        self.players, self._file = names, RecordFile(path) if path else None
        self.record: Record | None = None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.env.aec.GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        inner, agents = self.env.unwrapped, self.env.possible_agents
        faces = [self.env.face(agent).name for agent in agents]
        own_seed, recorded = 0 if seed is None else seed, inner.options.recorded_options
        self.record = start_record(inner.game, inner.public_params, self.players, faces, own_seed, recorded)
        self.record.rules = [seat_info(inner, seat).rules or None for seat in range(len(agents))]
        self._start_time = self._turn_start_time = time.perf_counter()

    def step(self, action: Any) -> None:
        """Play and record an action."""
        agent, inner, record = self.env.agent_selection, self.env.unwrapped, self.record
        assert record is not None, "call reset first"
        if self.env.terminations[agent] or self.env.truncations[agent]:
            self.env.step(action)
            return
        seconds = round(time.perf_counter() - self._turn_start_time, 6)
        text = self.env.observe(agent)["text"] if isinstance(self.env.face(agent), TextFace) else None
        record_answer(record, inner, action, text, self.env.step, seconds=seconds)
        if inner.over:
            self._save_record(record)
        self._turn_start_time = time.perf_counter()

    def _save_record(self, record: Record) -> None:
        record_result(record, self.env.unwrapped)
        record.seconds = round(time.perf_counter() - self._start_time, 6)
        if self._file:
            self._file.append(record)
