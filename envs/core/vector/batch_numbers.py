"""Numeric face for batches: decoding of actions and action masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from econzoo.envs.core.contract import NO_SYMBOL
from econzoo.envs.core.faces import Grid, GridRange, ListedMoves, MultiDiscreteMoves, Ranges, numeric_moves
from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.layout import slot_arrays

NO_MOVE = -1
"""Code of an action outside the space, in each of its parts; not a kind of move."""


class BatchNumbers:
    """Numeric face of a batch."""

    def __init__(self, batch: GameBatch, grid: Grid, grid_range: GridRange = None) -> None:
        self.batch, actions = batch, batch.actions
        self._ranges = Ranges(grid_range, actions)
        self.moves: ListedMoves | MultiDiscreteMoves = numeric_moves(actions, grid, batch.seats, no_op=False)
        self._slots, self._first = slot_arrays(self.moves.slots), np.array(actions.first)
        self._simple = not self.moves.slots.discrete_slots and batch.game.rules.refuses is None
        if isinstance(self.moves, ListedMoves):
            self._kinds = np.array([kind for kind, _ in self.moves.moves], np.int64)
            self._kinds_decoded = np.append(self._kinds, NO_MOVE)  # last entry, which `NO_MOVE` indexes
            self._symbols = np.array([*self.moves.symbols, NO_SYMBOL], np.int64)
            self._steps = np.zeros((len(self.moves.moves), actions.width), np.int64)
            for row, (_, steps) in zip(self._steps, self.moves.moves, strict=True):
                row[: len(steps)] = steps

    @property
    def _last_parts(self) -> np.ndarray:
        """Flags, among the parts of moves, of all symbols after the first."""
        return np.arange(self.moves.size) > self.moves.size - self.moves.slots.symbols

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one action."""
        return () if isinstance(self.moves, ListedMoves) else (len(self.moves.sizes),)

    def check_actions(self, actions: Any, count: int, name: str, must_be_inside: bool = True) -> np.ndarray:
        """Validate actions; return int64 of shape (count, *shape)."""
        array, shape = np.asarray(actions), (count, *self.shape)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be integers of shape {shape}, got {array.dtype} {array.shape}")
        wrong = (array < 0) | (array >= (self.moves.sizes if self.shape else self.moves.size))
        if not wrong.any():
            return array.astype(np.int64)
        if must_be_inside:
            raise ValueError(f"{name}: {array[wrong][0]} is outside the action space: expected {self.moves.allowed}")
        rows = wrong.reshape(count, -1).any(axis=1)
        return np.where(rows.reshape(count, *[1] * len(self.shape)), NO_MOVE, array).astype(np.int64)

    def decode(self, actions: np.ndarray, seat: Any, games: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Decode actions to kinds, int64 (games,), and numbers, float64 (games, width).

        Args:
            actions: Actions in the space or `NO_MOVE`, int64 of shape (games, *shape).
            seat: Acting seat, or one per game; None: the seat to act.
            games: Indices of the games; None: all.
        """
        kinds, steps = self._to_steps(actions)
        if self.moves.slots.symbols:
            speakers = np.maximum(self.batch.to_act if games is None else self.batch.to_act[games], 0)
            silent = ~self.batch.can_speak(speakers if seat is None else seat, games)
            kinds = np.where(silent & (self.symbols_of(actions) > 0), NO_MOVE, kinds)
        values = np.empty((len(kinds), self.batch.actions.width))
        self.batch.code.write_numbers(
            self._ranges.grids(self.batch.grid(seat, games)), kinds, steps, self._slots, values
        )
        return kinds, values

    def symbols_of(self, actions: np.ndarray) -> np.ndarray:
        """Return the symbols of actions (in the space or `NO_MOVE`), int64 (games,); `NO_SYMBOL` for none."""
        if isinstance(self.moves, ListedMoves):
            return self._symbols[actions]
        if not self.moves.slots.symbols:
            return np.full(len(actions), NO_SYMBOL)
        carries = np.array(self.moves.slots.symbol_counts)[np.maximum(actions[:, 0], 0)] > 1
        return np.where(carries, actions[:, -1], NO_SYMBOL)

    def _to_steps(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if isinstance(self.moves, ListedMoves):
            return self._kinds_decoded[actions], self._steps[actions]
        kinds = np.ascontiguousarray(actions[:, 0])
        # Kinds with fewer numbers than the width read on, at most to the last part; their surplus is ignored later.
        places = 1 + self._first[kinds][:, None] + np.arange(self.batch.actions.width)
        return kinds, np.take_along_axis(actions, np.minimum(places, actions.shape[1] - 1), axis=1)

    def masks(self, seats: Any, games: np.ndarray | None = None) -> np.ndarray:
        """Return action masks of one seat per game, int8 (games, length of mask); all 1 if the seat is not to move."""
        kinds, bounds, _, grids, rows, seated = self.batch.legal_arrays(seats, games)
        grids = self._ranges.grids(grids)
        asked = kinds[:, 0].copy()
        for kind in range(1, kinds.shape[1]):  # faster than `any` along a short axis
            asked |= kinds[:, kind]
        everybody = asked.all()
        # Amounts whose grid lies within the bounds: a kind is legal as a whole or not at all.
        if self._simple and _is_within(grids, bounds):
            shown = kinds if everybody else kinds | ~asked[:, None]
            return self._mask_symbols(np.repeat(shown.view(np.int8), self.moves.sizes, axis=1), rows, seated, asked)
        if isinstance(self.moves, MultiDiscreteMoves):
            out = self._mask_parts(kinds, bounds, grids)
        else:
            out, room = np.empty((len(kinds), self.moves.size), np.int8), np.empty(self._steps.shape)
            self.batch.write_masks(rows, seated, grids, self._kinds, self._steps, self._slots, room, out)
        if not everybody:
            out[~asked] = 1
        return self._mask_symbols(out, rows, seated, asked)

    def _mask_symbols(self, masks: np.ndarray, games: np.ndarray, seats: np.ndarray, asked: np.ndarray) -> np.ndarray:
        """Mask the symbols after the first where a mover may not send any."""
        slots = self.moves.slots
        if slots.symbols:
            silent = asked & ~self.batch.can_speak(seats, games)
            loud = self._symbols[:-1] > 0 if isinstance(self.moves, ListedMoves) else self._last_parts
            masks[np.ix_(silent, loud)] = 0
        return masks

    def _mask_parts(self, kinds: np.ndarray, bounds: np.ndarray, grids: np.ndarray) -> np.ndarray:
        slots, parts = self.moves.slots, [kinds]
        for slot, steps in enumerate(slots.steps):
            own = kinds[:, [slots.owners[slot]]]
            values = self._step_values(slot, grids)
            possible = (bounds[:, slot, :1] <= values) & (values <= bounds[:, slot, 1:])
            parts.append(np.where(own, possible, np.arange(steps) == 0))
        parts += [np.ones((len(kinds), slots.symbols), bool)] * (slots.symbols > 0)
        return np.concatenate(parts, axis=1).astype(np.int8)

    def _step_values(self, slot: int, grids: np.ndarray) -> np.ndarray:
        """Return the values of the steps of a number in each game, float64 of shape (games or 1, steps)."""
        slots, count = self.moves.slots, self.moves.slots.steps[slot]
        mark, grid = slots.marks[slot], slots.grids[slot]
        if mark.is_discrete:
            return np.array([[mark.value_at(step, (0.0, 0.0), 2) for step in range(count)]])
        return np.array(
            [[mark.value_at(step, (low, high), grid) for step in range(count)] for low, high in grids[:, slot]]
        )


def _is_within(grids: np.ndarray, bounds: np.ndarray) -> bool:
    return grids is bounds or bool(np.all(grids[..., 0] >= bounds[..., 0]) and np.all(grids[..., 1] <= bounds[..., 1]))
