"""How moves are played: nature's, of one seat, of several at once, and by what a referee finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from econzoo.envs.core.ending import GameEnding
from econzoo.envs.core.game import CHANCE, UNKNOWN, Event, Move
from econzoo.envs.core.moves import new
from econzoo.envs.core.nature import drawn, edges_of, scripted
from econzoo.envs.core.refereeing import plain_ruling


class GamePlay(GameEnding):
    """The part of a `GameEnv` that goes from one position to the next."""

    chance_draws: list[float]
    chosen: dict[int, Any]
    moves: int
    rulings: list[dict[str, Any]]
    _cycle: list[int]
    _moment: int
    _outcomes: Any
    _referee: Any
    _scripted_chance: list[Any]

    def _play_nature(self) -> None:
        """Draws a move of nature and plays it; it is as wide as the others."""
        outcome = self._draw()
        self.chance_draws.append(outcome)
        move = Move(CHANCE, (outcome, *self._waits.values[1:]))
        self.game_state = self._apply(self.params, self.game_state, (move,))

    def _draw(self) -> float:
        outcomes = self.game.rules.chance(self.params, self.game_state)
        if self._scripted_chance:
            return scripted(self.game, outcomes, self._scripted_chance.pop(0))
        rng = self._nature()
        if outcomes is not self._outcomes:
            self._outcomes, self._edges = outcomes, edges_of(outcomes)
        return drawn(outcomes, self._edges, rng)

    def _nature(self) -> np.random.Generator:
        """The generator of nature's moves."""
        if self._rng is None:
            self._rng = np.random.default_rng(self._seed)
        return self._rng

    def _play_alone(self, seat: int, action: Any) -> None:
        """Plays the move of one seat."""
        at = self.game_state.round
        self._moment += 1
        self.game_state = self._apply(self.params, self.game_state, (self._move(action),))
        self.events += (new(Event, (seat, at, action, self._brought_to_light(), self._moment)),)

    def _brought_to_light(self) -> float:
        return UNKNOWN if self._disclosed is None else self._disclosed(self.params, self.game_state)

    def _play_together(self, actions: list[Any]) -> None:
        """Plays the moves of all seats of the cycle, in their order."""
        cycle, before = self._cycle, self.game_state
        self._moment += 1
        if self._alive is not None:
            self.moves += self._gone(before)  # seats that have left pass
        if self._referee is not None:
            self._play_by_referee(cycle, actions)
            return
        moves = [self._waits] * len(self.possible_agents)
        for seat, action in zip(cycle, actions, strict=True):
            moves[seat] = self._move(action)
        self.game_state = self._apply(self.params, before, tuple(moves))
        if self._made is not None:
            actions = self._as_made(cycle, before, tuple(moves), actions)
        if self._results is None:
            self._tell(cycle, before.round, actions, [self._brought_to_light()] * len(moves))
        else:
            self._tell(cycle, before.round, actions, self._results(self.params, before, tuple(moves), self.game_state))

    def _gone(self, state: Any) -> int:
        """How many seats have left the game."""
        return sum(not self._alive(self.params, state, seat) for seat in range(len(self.possible_agents)))  # type: ignore[misc]

    def _tell(self, cycle: list[int], at: int, actions: Sequence[Any], lights: Sequence[Any]) -> None:
        """Adds what the seats of the cycle did, and what it brought to light for each seat, to the events."""
        now = self._moment
        both = zip(cycle, actions, strict=True)
        self.events += tuple([new(Event, (seat, at, action, lights[seat], now)) for seat, action in both])

    def _as_made(self, cycle: list[int], before: Any, moves: tuple[Move, ...], actions: list[Any]) -> list[Any]:
        """The actions as everybody sees them, where they may differ from those that were chosen."""
        self.chosen = dict(zip(cycle, actions, strict=True))
        made, actions_of = self._made(self.params, before, moves, self.game_state), self.actions
        out = []
        for seat, action in zip(cycle, actions, strict=True):
            move = made[seat]
            same = move == moves[seat]
            out.append(action if same else actions_of.make(move.kind, move.values, actions_of.told(action)[1]))
        return out

    def _play_by_referee(self, cycle: list[int], actions: list[Any]) -> None:
        """Lets the game's referee find out what the actions lead to, and plays that."""
        at = self.game_state.round
        # Drawn also where the ruling is known, so that nature goes on the same.
        seed = int(self._nature().integers(2**63))
        ruling = self._referee(self.params, self.game_state, actions, seed)
        self.rulings.append(plain_ruling(ruling))
        self.game_state = self._apply(self.params, self.game_state, ruling.moves)
        self._tell(cycle, at, actions, ruling.results)
