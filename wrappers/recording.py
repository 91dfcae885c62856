"""Writes a match down while any loop plays it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.record import Record, RecordFile, Turn, defined, plain
from econzoo.envs.core.text_face import TextFace

OPTIONS = ("metrics", "reasks", "on_error", "max_cycles")


class RecordMatch(BaseWrapper):
    """Keeps the record of the match that is being played, and appends it to a file when the match ends.

    Wrap it around the environment itself, inside other wrappers, so that it sees what the rules see. A match
    that is left before its end is not recorded. The record replays like every other if `reset` was given a seed.

    Args:
        env: An environment of this package.
        players: Names of the players, one for each seat.
        path: File of records, or None.

    Raises:
        ValueError: The number of players is not the number of seats.
    """

    def __init__(self, env: Any, players: Sequence[str], path: str | Path | None = None) -> None:
        super().__init__(env)
        if isinstance(players, str) or len(players) != len(env.possible_agents):
            raise ValueError(f"players={players!r} is not allowed; allowed: {len(env.possible_agents)} names")
        self.players, self._file = list(players), RecordFile(path) if path else None
        self.record: Record | None = None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.aec.GameEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        inner, agents = self.env.unwrapped, self.env.possible_agents
        faces = [self.env.face(agent) for agent in agents]
        briefs = [
            face.rules(inner.seen(agent).view) if isinstance(face, TextFace) else None
            for agent, face in zip(agents, faces, strict=True)
        ]
        self.record = Record(
            game=inner.game.name,
            version=inner.game.version,
            params=inner.public_params,
            options={n: x for n in OPTIONS if (x := getattr(inner.options, n)) not in (None, "paper")},
            seed=0 if seed is None else seed,
            players=self.players,
            faces=[face.name for face in faces],
            rules=briefs,
        )
        self._started = self._asked = time.perf_counter()

    def step(self, action: Any) -> None:
        """Plays an action and writes it down."""
        agent, inner, record = self.env.agent_selection, self.env.unwrapped, self.record
        assert record is not None, "reset comes before step"
        if self.env.terminations[agent] or self.env.truncations[agent]:
            self.env.step(action)
            return
        seat = inner.possible_agents.index(agent)
        text = self.env.observe(agent)["text"] if isinstance(self.env.face(agent), TextFace) else None
        seconds = round(time.perf_counter() - self._asked, 6)
        turn = Turn(seat, inner.game_state.round, _storable(action), None, text, seconds=seconds)
        before = (len(inner.events), inner.errors[seat], inner.defaults[seat], set(inner.pending))
        self.env.step(action)
        self._judge(turn, *before)
        record.turns.append(turn)
        if inner.over:
            self._close(record)
        self._asked = time.perf_counter()

    def _judge(self, turn: Turn, events: int, errors: int, defaults: int, pending: set[int]) -> None:
        inner, seat = self.env.unwrapped, turn.seat
        turn.default = inner.defaults[seat] > defaults
        if inner.errors[seat] > errors:
            turn.error = list(inner.last_error)
        played = [event.action for event in inner.events[events:] if event.seat == seat]
        if not played and seat in inner.pending and seat not in pending:
            played = [inner.pending[seat]]
        turn.action = inner.game.actions.plain(played[0]) if played else None

    def _close(self, record: Record) -> None:
        inner, outcome = self.env.unwrapped, self.env.unwrapped.outcome()
        record.chance, record.payoffs = list(inner.chance_draws), list(inner.payoffs)
        metrics = {name: defined(getattr(outcome, name)) for name in ("efficiency", "fairness")}
        record.metrics = {"gains": list(map(defined, outcome.gains)), **metrics, "agreed": bool(outcome.agreed)}
        record.forfeit, record.errors, record.defaults = inner.forfeited, list(inner.errors), list(inner.defaults)
        truncated = any(inner.truncations.values())
        record.status = "forfeited" if inner.forfeited is not None else "truncated" if truncated else "finished"
        record.seconds = round(time.perf_counter() - self._started, 6)
        if self._file:
            self._file.append(record)


def _storable(action: Any) -> Any:
    """An action as JSON can keep it; anything else as its type and printed form."""
    kept = plain(action)
    try:
        json.dumps(kept, allow_nan=False)
    except (TypeError, ValueError):
        return {"$other": [type(action).__name__, repr(action)[:1000]]}
    return kept
