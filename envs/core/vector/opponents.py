"""Who sits opposite a learner in many games at once: scripted players, and policies that decide for many rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Protocol, TypeAlias

import numpy as np
from gymnasium.vector.utils import CloudpickleWrapper

from econzoo.envs.core.contract.parameters import Real
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.core.faces.grid_range import GridRange
from econzoo.envs.core.faces.numeric_moves import Grid
from econzoo.envs.core.registry import player
from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.batch_numbers import BatchNumbers
from econzoo.envs.core.vector.scripted_seats import PoolEntry, ScriptedSeats, pool_entries

Function = Callable[[np.ndarray, np.ndarray, np.random.Generator], Any]
"""Called with the observations, float32 (k, features), and masks, int8 (k, actions), of the games that wait for it
and a generator; gives k actions. Its own seat stands in the observation."""


class Policy(Protocol):
    """Decides for all seats that wait for it at once.

    Attributes:
        grid: See `econzoo.envs.core.faces.numeric_moves.Grid`; None: that of the learner.
        grid_range: See `econzoo.envs.core.faces.grid_range.GridRange`.
        memory_size: Numbers that it keeps from one decision of a seat to the next of the same match.
        seats: The seats that it can take; None: all.
    """

    grid: Grid | None
    grid_range: GridRange
    memory_size: int
    seats: tuple[int, ...] | None

    def decide(
        self, seen: np.ndarray, legal: np.ndarray, kept: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Decides.

        Args:
            seen: Observations of the rows, float32 (k, features).
            legal: Their masks, int8 (k, actions).
            kept: What was remembered of their last decisions, float32 (k, remembered); 0 before the first.
            rng: Draws.

        Returns:
            Actions, int (k,) or (k, parts of a move), and what is remembered now, float32 (k, remembered).
        """


class PortableFunction(CloudpickleWrapper):
    """A function of the user's own on its way to another process: by its name, or by value if it has none there."""

    def __getstate__(self) -> bytes:
        """The function as bytes.

        Raises:
            TypeError: It holds something that stays in its process, such as a lock or an open file.
        """
        try:
            return super().__getstate__()
        except Exception as error:  # whatever it holds may refuse in words of its own
            allowed = "players by name, or a function of which every part can be pickled"
            raise TypeError(f"opponent={short_repr(self.fn)} cannot be pickled: {error}; allowed: {allowed}") from error

    def __deepcopy__(self, memo: Any) -> PortableFunction:
        return PortableFunction(deepcopy(self.fn, memo))


class FunctionPolicy:
    """A function as a policy that remembers nothing.

    Args:
        function: Of observations, masks and a generator.
    """

    grid: Grid | None = None
    grid_range: GridRange = None
    memory_size = 0
    seats: tuple[int, ...] | None = None

    def __init__(self, function: Function) -> None:
        self.function = function

    def decide(
        self, seen: np.ndarray, legal: np.ndarray, kept: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """See `Policy.decide`."""
        return self.function(seen, legal, rng), kept

    def __getstate__(self) -> dict[str, Any]:
        function: Any = self.function
        return {"function": PortableFunction(function)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.function = state["function"].fn


Member: TypeAlias = Any
"""Of a pool: the spec of a player, a `Policy`, or a `Function`."""

Opponent: TypeAlias = Member | Sequence[Member] | Mapping[Member, float]
"""A member, several of them, or how often each is drawn, in parts of the sum."""


def weights_of(opponent: Opponent) -> dict[Member, float]:
    """Member to weight.

    Raises:
        ValueError: There are no members, or a weight is not above 0.
    """
    one = isinstance(opponent, str) or callable(opponent) or hasattr(opponent, "decide")
    given = {opponent: 1.0} if one else opponent
    try:
        pool = dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, 1.0)
    except TypeError:
        pool = {}
    if not pool or not all(isinstance(one, str) or callable(one) or hasattr(one, "decide") for one in pool):
        allowed = "the spec of a player, a policy or a function, several of them, or a mapping of them to weights"
        raise ValueError(f"opponent={short_repr(opponent)} is not allowed; allowed: {allowed}")
    try:
        return {member: Real(0.0, is_low_excluded=True)(weight) for member, weight in pool.items()}
    except (TypeError, ValueError):
        raise ValueError(f"opponent={short_repr(opponent)} is not allowed; allowed: weights above 0") from None


class Opponents:
    """The members of a pool in the seats of a batch; each seat of each game that starts draws one that can take it.

    Args:
        batch: The games.
        numbers: The numeric face of the learner.
        opponent: The pool.

    Attributes:
        scripted: The scripted players.
        policies: The others.
        policy_seats: Number among the policies of who sits in a seat, int64 of shape (games, seats); -1: none of them.

    Raises:
        CannotCompileError: A player has no compiled form.
        ValueError: A spec is unknown, or as `weights_of`.
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
        """Changes how often policies are drawn for games that start from now on.

        Args:
            weights: Of `policies`, in the same unit as those of the scripts; 0: never.
        """
        fits = [(entry.seats, entry.weight) for entry in self.scripted.pool]
        fits += [(policy.seats, weight) for policy, weight in zip(self.policies, weights, strict=True)]
        self._edges = [_cumulative_weights(fits, seat) for seat in range(self.batch.seats)]

    def can_fill(self, seat: int) -> bool:
        """Whether somebody can take a seat."""
        return bool(self._edges[seat][-1])

    def sit(self, where: np.ndarray, learner: np.ndarray, rng: np.random.Generator) -> None:
        """Draws who plays the games that start.

        Args:
            where: Flags of the games.
            learner: The seat of each game that is left to the learner.
            rng: Draws.
        """
        games, scripts = np.flatnonzero(where), len(self.scripted.pool)
        for seat, edges in enumerate(self._edges):
            drawn = np.minimum(np.searchsorted(edges, rng.random(len(games)), side="right"), len(edges) - 1)
            drawn[learner[games] == seat] = -1
            self.scripted.sit(games, seat, np.where(drawn < scripts, drawn, -1))
            self.policy_seats[games, seat] = np.where(drawn < scripts, -1, drawn - scripts)
        self._memory[games] = 0.0

    def move(
        self, where: np.ndarray, kinds: np.ndarray, values: np.ndarray, said: np.ndarray, rng: np.random.Generator
    ) -> None:
        """Writes the opponents' moves in games that wait for them.

        Args:
            where: Flags of the games.
            kinds: int64 of shape (games, 1), or (games, seats) where seats move at once.
            values: float64 of shape (*shape of kinds, numbers of a move).
            said: Symbols of the moves, int64 of the shape of `kinds`; scripts send none.
            rng: Their luck.
        """
        if self.scripted.pool:
            self.scripted.move(where, kinds, values.reshape(len(kinds), -1), rng)
        for number in range(len(self.policies)):
            self._decide(number, where, (kinds, values, said), rng)

    def _decide(self, number: int, where: np.ndarray, moves: tuple[np.ndarray, ...], rng: np.random.Generator) -> None:
        """Writes the moves of one policy."""
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
        for seat in np.unique(seats):
            at, actions = seats == seat, np.zeros((self.batch.num_games, *coded.shape), np.int64)
            actions[games[at]] = chosen[at]
            column = seat if together else 0
            own = coded.decode(actions, int(seat))
            kinds[games[at], column], values[games[at], column] = own[0][games[at]], own[1][games[at]]
            said[games[at], column] = coded.symbols_of(chosen[at])


def policy_of(member: Member, batch: GameBatch) -> Policy | None:
    """A member as a policy; None: the spec of a scripted player.

    Raises:
        ValueError: The spec is unknown, or a policy was trained for something else.
    """
    if hasattr(member, "decide"):
        return member
    if callable(member):
        return FunctionPolicy(member)
    trained = getattr(player(member, batch.game.name), "batch_policy", None)
    return None if trained is None else trained(batch)


def _cumulative_weights(fits: Sequence[tuple[tuple[int, ...] | None, float]], seat: int) -> np.ndarray:
    """Running sum of the weights of those that can take a seat, up to 1; all 0 if nobody can."""
    total = np.cumsum([weight if seats is None or seat in seats else 0.0 for seats, weight in fits])
    return total / total[-1] if total[-1] else total
