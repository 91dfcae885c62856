"""Compiled scripted players in the seats of batches of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from econzoo.envs.core import player, players_of
from econzoo.envs.core.contract import MoveFunction, NoteFunction, Script, random_move
from econzoo.envs.core.faces import Slots
from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.layout import CannotCompileError, restore_array, slot_arrays
from econzoo.envs.core.vector.script_kernels import RANDOM_STRATEGY, play_scripts, play_until

MAX_DRAWN_PLAYERS = 1024
"""Number of players sampled from a spec with distributions, of which games sample when they start."""


class PoolEntry(NamedTuple):
    """A scripted player of a pool.

    Attributes:
        seats: Seats that it can take; None: all.
        distribution_spec: Original spec with distributions; empty if it has none.
    """

    spec: str
    weight: float
    script: Script
    seats: tuple[int, ...] | None
    distribution_spec: str = ""


def pool_entries(spec: str, game: str, weight: float = 1.0) -> list[PoolEntry]:
    """Return the players of a spec: one, or a sample if it has distributions."""
    one, rng = player(spec, game), np.random.default_rng(0)
    drawn = (
        [one.sample_player(int(seed)) for seed in rng.integers(2**63, size=MAX_DRAWN_PLAYERS)]
        if hasattr(one, "sample_player")
        else [one]
    )
    scripts = [script_of(player, game) for player in drawn]
    if None in scripts:
        raise CannotCompileError(
            f"player {spec!r} cannot be compiled: expected one of {', '.join(_compilable_players(game))} in {game}; "
            "gymnasium.make_vec supports others"
        )
    return [
        PoolEntry(player.spec, weight / len(drawn), script, player.seats, spec * hasattr(one, "sample_player"))
        for player, script in zip(drawn, scripts, strict=True)
        if script is not None
    ]


def script_of(player: Any, game: str) -> Script | None:
    """Return the compiled strategy of a player in a game, or None."""
    made = getattr(player, "script", None)
    return made.get(game) if isinstance(made, dict) else made


def can_compile(spec: str, game: str) -> bool:
    """Whether the player of a spec has a compiled form or is a batched policy."""
    one = player(spec, game)
    if hasattr(one, "batch_policy"):
        return True
    return script_of(one.sample_player(0) if hasattr(one, "sample_player") else one, game) is not None


def _compilable_players(game: str) -> list[str]:
    """Return the names of the players that can be compiled."""
    names = getattr(players_of(game), "PLAYERS", {})
    return [name for name in (*names, "random") if can_compile(name, game)]


class ScriptedSeats:
    """Scripted players of a pool in the seats of a batch.

    Attributes:
        seated_players: Index in the pool of the player in each seat, int64 of shape (games, seats); -1: none.
    """

    def __init__(self, batch: GameBatch, pool: Sequence[PoolEntry]) -> None:
        self.batch, self.pool = batch, list(pool)
        self._moves: dict[tuple[MoveFunction, NoteFunction], int] = {}
        self.memory = np.zeros((batch.num_games, batch.seats, 0))
        self._build_arrays()
        # Any grid does: random moves do not use it.
        self._slots = slot_arrays(Slots(batch.actions, 2, batch.seats))
        self._room = np.zeros((1, batch.actions.slots, 2))
        self.seated_players = np.full((batch.num_games, batch.seats), -1, np.int64)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with players as specs instead of code."""
        pool = [(entry.spec, entry.weight, entry.distribution_spec) for entry in self.pool]
        return {**vars(self), "pool": pool, "_moves": {}, "_play": None, "_play_until": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.pool = [self._restore_entry(*kept) for kept in state["pool"]]
        self._build_arrays()

    def _restore_entry(self, spec: str, weight: float, drawn_from: str) -> PoolEntry:
        """Return the player of a spec."""
        game = self.batch.game.name
        one = player(spec, game)
        script = script_of(one, game)
        assert script is not None
        return PoolEntry(spec, weight, script, one.seats, drawn_from)

    def _build_arrays(self) -> None:
        """Encode the players of the pool as arrays."""
        pool = self.pool
        if not pool:
            return
        for script in (entry.script for entry in pool if entry.script.move is not random_move):
            self._moves.setdefault((script.move, script.note), len(self._moves))
        self._strategies = np.array(
            [self._moves.get((e.script.move, e.script.note), RANDOM_STRATEGY) for e in pool], np.int64
        )
        self._numbers = np.array([number for e in pool for number in e.script.numbers], np.float64)
        self._first = np.cumsum([0, *(len(e.script.numbers) for e in pool)]).astype(np.int64)
        self._initial_memory = self._initial_memories()
        # The memory only grows: players in running games keep theirs when others are sampled anew.
        wider = max(0, self._initial_memory.shape[1] - self.memory.shape[2])
        self.memory = np.pad(self.memory, ((0, 0), (0, 0), (0, wider)))
        self._initial_memory = np.pad(
            self._initial_memory, ((0, 0), (0, self.memory.shape[2] - self._initial_memory.shape[1]))
        )
        self._play, self._play_until = (
            self.batch.code.script_loop(kernel, list(self._moves)) for kernel in (play_scripts, play_until)
        )

    def redraw(self, count: int, rng: np.random.Generator) -> None:
        """Resample players that are not seated."""
        game, drawn = self.batch.game.name, [i for i, entry in enumerate(self.pool) if entry.distribution_spec]
        for place in rng.permutation(np.setdiff1d(drawn, self.seated_players).astype(int))[:count]:
            one: Any = player(self.pool[place].distribution_spec, game)
            new = one.sample_player(int(rng.integers(2**63)))
            script = script_of(new, game)
            assert script is not None
            self.pool[place] = self.pool[place]._replace(spec=new.spec, script=script)
        if drawn:
            self._build_arrays()

    def copy_state(self) -> dict[str, Any]:
        """Return players, seats and memory, for `restore_state`: copies of arrays, plain values."""
        arrays = {"seated": self.seated_players.copy(), "memory": self.memory.copy()}
        # The initial memory is of the parameter sets at the last redraw.
        initial = {"initial": self._initial_memory.copy()} if self.pool else {}
        return {**arrays, **initial, "specs": [entry.spec for entry in self.pool]}

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Continue from the state of seats with the same pool."""
        restore_array("seated", self.seated_players, state["seated"], range(-1, len(self.pool)))
        for place, (entry, spec) in enumerate(zip(self.pool, state["specs"], strict=True)):
            if entry.spec != spec:
                if not entry.distribution_spec or spec.partition("(")[0] != entry.spec.partition("(")[0]:
                    raise ValueError(f"{spec!r} is not sampled from {entry.distribution_spec or entry.spec!r}")
                self.pool[place] = self._restore_entry(spec, entry.weight, entry.distribution_spec)
        self.memory = np.array(np.asarray(state["memory"]))
        if self.pool:
            self._build_arrays()
            restore_array("initial", self._initial_memory, state["initial"])
        restore_array("memory", self.memory, state["memory"])

    def _initial_memories(self) -> np.ndarray:
        """Return the initial memory of each player, padded to the longest."""
        most: dict[Any, tuple[float, ...]] = {}
        for script in (entry.script for entry in self.pool):
            starts = (
                [script.start(params) for params in self.batch.sets]
                if callable(script.initial_memory)
                else [script.initial_memory]
            )
            most[script.initial_memory] = max(starts, key=len)
        out = np.zeros((len(self.pool), max(1, *map(len, most.values()))))
        for row, entry in zip(out, self.pool, strict=True):
            row[: len(most[entry.script.initial_memory])] = most[entry.script.initial_memory]
        return out

    def sit(self, games: np.ndarray, seat: int, numbers: np.ndarray) -> None:
        """Seat players in games that start.

        Args:
            games: Indices of the games.
            numbers: Index of the player of each game in the pool; -1: none.
        """
        self.seated_players[games, seat] = numbers
        if self.pool:
            seated = numbers >= 0
            self.memory[games[seated], seat] = self._initial_memory[numbers[seated]]

    def move(self, where: np.ndarray, kinds: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> None:
        """Write the players' moves in games that wait for them, for `GameBatch.step`.

        Args:
            kinds: int64 of shape (games, 1), or (games, seats) where seats move at once.
            values: float64, the numbers of a move for each of these.
        """
        self._play(*self.batch.position_arrays, where, *self._arrays(rng), kinds, values)

    def play_until(
        self, where: np.ndarray, learner: np.ndarray, moved: bool, moves: tuple[np.ndarray, ...],
        rng: np.random.Generator,
    ) -> np.ndarray:  # fmt: skip
        """Play until games end or the learner has a legal move, for `GameBatch.play_loop`; return flags of the former.

        Args:
            learner: The learner's seat in each game, int64 of shape (games,).
            moved: Whether its moves are in `moves` and come first.
            moves: Buffers of kinds and values, see `move`.
        """
        return self.batch.play_loop(self._play_until, where, learner, moved, *self._arrays(rng), *moves)

    def _arrays(self, rng: np.random.Generator) -> tuple[Any, ...]:
        seated = (self.seated_players, self._strategies, self._first, self._numbers, self.memory)
        return *seated, self._slots, rng, self._room
