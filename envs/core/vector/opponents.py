"""Opponents in batches of games: scripted players and batched policies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Protocol, TypeAlias

import numpy as np
from gymnasium.vector.utils import CloudpickleWrapper

from econzoo.envs.core import player
from econzoo.envs.core.contract import Real, short_repr
from econzoo.envs.core.faces import Grid, GridRange
from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.batch_numbers import BatchNumbers
from econzoo.envs.core.vector.layout import restore_array
from econzoo.envs.core.vector.scripted_seats import PoolEntry, ScriptedSeats, pool_entries

Function = Callable[[np.ndarray, np.ndarray, np.random.Generator], Any]
"""Function of observations, float32 (k, features), masks, int8 (k, actions), and a generator that returns k actions.
Its own seat is part of the observation."""


class Policy(Protocol):
    """Batched policy.

    Attributes:
        grid: See `econzoo.envs.core.faces.numeric_moves.Grid`; None: that of the learner.
        seats: Seats that it can take; None: all.
    """

    grid: Grid | None
    grid_range: GridRange
    memory_size: int
    seats: tuple[int, ...] | None

    def decide(
        self, seen: np.ndarray, legal: np.ndarray, kept: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Choose actions.

        Args:
            seen: Observations, float32 (k, features).
            legal: Action masks, int8 (k, actions).
            kept: Memory after the last decisions, float32 (k, memory_size); 0 for the first.

        Returns:
            Actions, int (k,) or (k, parts of a move), and new memory, float32 (k, memory_size).
        """


class PortableFunction(CloudpickleWrapper):
    """User function pickled by name, or by value if it cannot be imported in another process."""

    def __getstate__(self) -> bytes:
        try:
            return super().__getstate__()
        except Exception as error:  # any object may raise its own error
            expected = "players by name, or a picklable function"
            raise TypeError(
                f"opponent={short_repr(self.fn)} cannot be pickled: {error}; expected {expected}"
            ) from error

    def __deepcopy__(self, memo: Any) -> PortableFunction:
        return PortableFunction(deepcopy(self.fn, memo))


class FunctionPolicy:
    """Memoryless policy given by a function."""

    grid: Grid | None = None
    grid_range: GridRange = None
    memory_size = 0
    seats: tuple[int, ...] | None = None

    def __init__(self, function: Function) -> None:
        self.function = function

    def decide(
        self, seen: np.ndarray, legal: np.ndarray, kept: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        return self.function(seen, legal, rng), kept

    def __getstate__(self) -> dict[str, Any]:
        function: Any = self.function
        return {"function": PortableFunction(function)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.function = state["function"].fn


Member: TypeAlias = Any
"""Member of a pool: the spec of a player, a `Policy`, or a `Function`."""

Opponent: TypeAlias = Member | Sequence[Member] | Mapping[Member, float]
"""A member, a sequence of members, or a mapping of members to weights."""


def weights_of(opponent: Opponent) -> dict[Member, float]:
    one = isinstance(opponent, str) or callable(opponent) or hasattr(opponent, "decide")
    given = {opponent: 1.0} if one else opponent
    try:
        pool = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, 1.0)
    except TypeError:
        pool = {}
    if not pool or not all(isinstance(one, str) or callable(one) or hasattr(one, "decide") for one in pool):
        expected = "the spec of a player, a policy or a function, several of them, or a mapping of them to weights"
        raise ValueError(f"invalid opponent={short_repr(opponent)}: expected {expected}")
    try:
        return {member: Real(0.0, is_low_excluded=True)(weight) for member, weight in pool.items()}
    except (TypeError, ValueError):
        raise ValueError(f"invalid opponent={short_repr(opponent)}: expected weights above 0") from None


class Opponents:
    """Members of a pool in the seats of a batch; every seat of every game samples a member that can take it.

    Attributes:
        policy_seats: Index of the policy in each seat, int64 of shape (games, seats); -1: none.
    """

    def __init__(self, batch: GameBatch, numbers: BatchNumbers, opponent: Opponent) -> None:
        self.batch = batch
        scripts: list[PoolEntry] = []
        self.policies: list[Policy] = []
        weights: list[float] = []
        for member, weight in weights_of(opponent).items():
            policy = policy_of(member, batch)
            if policy is None:
                scripts += pool_entries(member, batch.game.name, weight)
            else:
                self.policies.append(policy)
                weights.append(weight)
        self.scripted = ScriptedSeats(batch, scripts)
        self._numbers = [
            numbers if one.grid is None else BatchNumbers(batch, one.grid, one.grid_range) for one in self.policies
        ]
        self.set_weights(weights)
        shape = batch.num_games, batch.seats
        self.policy_seats = np.full(shape, -1, np.int64)
        self._memory = np.zeros((*shape, max([0, *(policy.memory_size for policy in self.policies)])), np.float32)

    def set_weights(self, weights: Sequence[float]) -> None:
        """Set the weights of policies for games that start from now on.

        Args:
            weights: Weights of `policies`, relative to those of the scripts; 0: never.
        """
        fits = [(entry.seats, entry.weight) for entry in self.scripted.pool]
        fits += [(policy.seats, weight) for policy, weight in zip(self.policies, weights, strict=True)]
        self._edges = [_cumulative_weights(fits, seat) for seat in range(self.batch.seats)]

    def copy_state(self) -> dict[str, Any]:
        """Return players, seats and memory, for `restore_state`; without networks and weights of policies."""
        arrays = {"seats": self.policy_seats.copy(), "memory": self._memory.copy()}
        return {**arrays, "scripted": self.scripted.copy_state()}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of the same members."""
        restore_array("seats", self.policy_seats, state["seats"], range(-1, len(self.policies)))
        restore_array("memory", self._memory, state["memory"])
        self.scripted.restore_state(state["scripted"])

    @property
    def has_play_loop(self) -> bool:
        """Whether `ScriptedSeats.play_until` plays for all members."""
        return not self.policies and bool(self.scripted.pool) and self.batch.has_play_loop

    def can_fill(self, seat: int) -> bool:
        """Whether any member can take a seat."""
        return bool(self._edges[seat][-1])

    def sit(self, where: np.ndarray, learner: np.ndarray, rng: np.random.Generator) -> None:
        """Sample the players of games that start."""
        games, scripts = np.flatnonzero(where), len(self.scripted.pool)
        for seat, edges in enumerate(self._edges):
            # Where no member fits, all edges are 0. Only the seat of the learner can be such, which is overwritten.
            drawn = np.minimum(np.searchsorted(edges, rng.random(len(games)), side="right"), len(edges) - 1)
            drawn[learner[games] == seat] = -1
            self.scripted.sit(games, seat, np.where(drawn < scripts, drawn, -1))
            self.policy_seats[games, seat] = np.where(drawn < scripts, -1, drawn - scripts)
        self._memory[games] = 0.0

    def move(
        self, where: np.ndarray, kinds: np.ndarray, values: np.ndarray, said: np.ndarray, rng: np.random.Generator
    ) -> None:
        """Write the opponents' moves in games that wait for them.

        Args:
            kinds: int64 of shape (games, 1), or (games, seats) where seats move at once.
            values: float64 of shape (*shape of kinds, numbers of a move).
            said: Symbols of the moves, int64 with the shape of `kinds`; scripts send none.
        """
        if self.scripted.pool:
            self.scripted.move(where, kinds, values.reshape(len(kinds), -1), rng)
        for number in range(len(self.policies)):
            self._decide(number, where, (kinds, values, said), rng)

    def _decide(self, number: int, where: np.ndarray, moves: tuple[np.ndarray, ...], rng: np.random.Generator) -> None:
        """Write the moves of one policy."""
        policy, coded, (kinds, values, said) = self.policies[number], self._numbers[number], moves
        games, seats = np.nonzero((self.policy_seats == number) & where[:, None])
        together = self.batch.turns.has_joint_moves
        asked = self.batch.legal(seats, games).any(axis=1) if together else seats == self.batch.to_act[games]
        games, seats = games[asked], seats[asked]
        if not len(games):
            return
        kept = self._memory[games, seats, : policy.memory_size]
        chosen, kept = policy.decide(self.batch.observe(seats, games), coded.masks(seats, games), kept, rng)
        self._memory[games, seats, : policy.memory_size] = kept
        chosen = coded.check_actions(chosen, len(games), "the opponent's actions")
        # decode() reads one seat in all games at once.
        for seat in np.unique(seats):
            at, actions = seats == seat, np.zeros((self.batch.num_games, *coded.shape), np.int64)
            actions[games[at]] = chosen[at]
            column = seat if together else 0
            own = coded.decode(actions, int(seat))
            kinds[games[at], column], values[games[at], column] = own[0][games[at]], own[1][games[at]]
            said[games[at], column] = coded.symbols_of(chosen[at])


def policy_of(member: Member, batch: GameBatch) -> Policy | None:
    """Convert a member to a policy; None for the spec of a scripted player."""
    if hasattr(member, "decide"):
        return member
    if callable(member):
        return FunctionPolicy(member)
    trained = getattr(player(member, batch.game.name), "batch_policy", None)
    return None if trained is None else trained(batch)


def _cumulative_weights(fits: Sequence[tuple[tuple[int, ...] | None, float]], seat: int) -> np.ndarray:
    """Cumulative weights, up to 1, of the members that can take a seat; all 0 if none can."""
    total = np.cumsum([weight if seats is None or seat in seats else 0.0 for seats, weight in fits])
    return total / total[-1] if total[-1] else total
