"""Encoding of moves as integers on the numeric face: one per move, or one per part of a move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract import ALPHABET, NO_SYMBOL, Bounds, Invalid, Legal, Move, new_tuple, short_repr
from econzoo.envs.core.contract import symbol_index

if TYPE_CHECKING:
    from econzoo.envs.core.contract import ActionSchema, Number

Grid = int | Mapping[str, int]
"""Grid size of all amounts, or by field (default `GRID`)."""

GRID = 101
MAX_LISTED_MOVES = 10_001
"""Maximum combinations of the numbers of one kind of move in a list of moves."""

MAX_CACHED_MASKS = 1000
"""Cache size of masks that depend on bounds."""

Steps = tuple[int, ...]
_BOOLEANS = frozenset((bool, np.bool_))  # which equal the actions 0 and 1


def grid_of(grid: Grid, name: str) -> int:
    return grid if isinstance(grid, int) else grid.get(name, GRID)


class Slots:
    """Discretization of the numbers of all kinds of move.

    Attributes:
        steps: Number of values of every slot.
        owners: Kind of move of every slot.
        shapes: Number of steps of each number of every kind; for a `Source`, the size of its library.
        symbols: Number of symbols; 0: none.
        symbol_counts: Number of symbols of each kind; 1: it has no message.
        sizes: Number of actions of every kind: combinations of numbers and symbols.
    """

    def __init__(self, actions: ActionSchema, grid: Grid, seats: int) -> None:
        self.actions = actions
        self.marks: list[Number] = [mark for marks in actions.marks for mark in marks]
        self.grids = [grid_of(grid, name) for name in actions.slot_names]
        self.steps = [mark.steps(size, seats) for mark, size in zip(self.marks, self.grids, strict=True)]
        self.discrete_slots = tuple(i for i, mark in enumerate(self.marks) if mark.is_discrete)
        self.libraries = [kind.source.library() if kind.source else () for kind in actions.kinds]
        self._kind_slots = [range(a, a + len(marks)) for a, marks in zip(actions.first, actions.marks, strict=True)]
        own = [tuple(self.steps[slot] for slot in slots) for slots in self._kind_slots]
        self.owners = [kind for kind, slots in enumerate(self._kind_slots) for _ in slots]
        self.shapes: list[Steps] = [(len(b),) if b else a for a, b in zip(own, self.libraries, strict=True)]
        self.symbols = actions.symbols
        self.symbol_counts = [max(self.symbols, 1) if kind.message else 1 for kind in actions.kinds]
        self.sizes = [prod(shape) * times for shape, times in zip(self.shapes, self.symbol_counts, strict=True)]

    def exceeds_size(self, most: int) -> bool:
        """Whether any kind of several parts has more than `most` combinations."""
        parts = [len(shape) + (times > 1) for shape, times in zip(self.shapes, self.symbol_counts, strict=True)]
        return any(count > 1 and size > most for count, size in zip(parts, self.sizes, strict=True))

    def make_action(self, kind: int, steps: Steps, usual: tuple[Bounds, ...]) -> Any:
        """Build the typed move of these steps."""
        if self.libraries[kind]:
            return self.actions.make(kind, steps)
        values = [
            self.marks[slot].value_at(step, usual[slot], self.grids[slot])
            for slot, step in zip(self._kind_slots[kind], steps, strict=False)
        ]
        return self.actions.make(kind, values)

    def moves(self, kind: int, spread: tuple[Bounds, ...]) -> Iterator[Move]:
        """Yield all moves of a kind for the rules, in the order of `ListedMoves`; faster than typed moves."""
        slots = [(self.marks[i], self.steps[i], spread[i], self.grids[i]) for i in self._kind_slots[kind]]
        own = [[float(mark.value_at(step, pair, grid)) for step in range(steps)] for mark, steps, pair, grid in slots]
        if self.libraries[kind]:
            own = [[*map(float, range(len(self.libraries[kind])))]]
        rest = (0.0,) * (self.actions.width - len(own))
        return (new_tuple(Move, (kind, numbers + rest)) for numbers in product(*own))

    def only_amount(self, kind: int) -> int | None:
        """Return the slot of a kind's only number if it is an amount; -1 if it has no numbers; else None."""
        slots = self._kind_slots[kind]
        if self.libraries[kind] or self.actions.kinds[kind].groups or len(slots) > 1 or self.symbol_counts[kind] > 1:
            return None
        return -1 if not slots else None if slots[0] in self.discrete_slots else slots[0]

    def make_amount_action(self, kind: int, slot: int, step: int, low: float, high: float) -> Any:
        """Build the typed move of a kind with one amount; fast path of `make_action`."""
        # As `Amount.value_at`, bit for bit.
        last = self.grids[slot] - 1
        value = high if step == last else low + step * (high - low) / last
        if self.marks[slot].is_integer:
            value = float(math.floor(value + 0.5))
        form = self.actions.forms[kind]
        return new_tuple(form.model, (value, "") if form.message else (value,))

    def nearest_steps(self, action: Any, usual: tuple[Bounds, ...]) -> tuple[int, Steps]:
        """Return the kind of a typed move and its nearest steps; raise `ValueError` for a text outside the library."""
        kind, values = self.actions.move(action)
        library = self.libraries[kind]
        if library and action[0] not in library:
            raise ValueError(f"not one of the {len(library)} library texts, which alone are numeric actions")
        if library:
            return kind, (library.index(action[0]),)
        both = zip(self._kind_slots[kind], values, strict=False)
        return kind, tuple([self.marks[i].nearest_step(value, usual[i], self.grids[i]) for i, value in both])

    def symbol_of(self, action: Any) -> int:
        """Return the symbol of a typed move; 0 if it has none."""
        return max(0, symbol_index(self.actions.kind_and_message(action)[1], self.symbols))

    def add_symbol(self, action: Any, symbol: int, legal: Legal) -> Any:
        """Add a symbol to a typed move or an `Invalid`; `NO_SYMBOL` for kinds without a message.

        Seats that may not send messages have only the first symbol, which is not delivered.
        """
        if symbol == NO_SYMBOL or action.__class__ is Invalid:
            return action
        if legal.messages:
            return action._replace(**{self.actions.form_of[action.__class__].message: ALPHABET[symbol]})
        return (
            Invalid("message_not_allowed", "this seat sends no symbols; allowed: the first one") if symbol else action
        )

    def legal_steps(self, slot: int, legal: Legal) -> np.ndarray:
        """Return flags of the steps within the bounds, bool (steps,); all True for grids over the bounds."""
        if slot not in self.discrete_slots and legal.grid is None:
            return np.ones(self.steps[slot], bool)
        (low, high), pair = legal.bounds[slot], legal.grid_bounds[slot]
        values = np.array([self.marks[slot].value_at(step, pair, self.grids[slot]) for step in range(self.steps[slot])])
        return (low <= values) & (values <= high)

    def legal_combinations(self, kind: int, legal: Legal) -> np.ndarray:
        """Return flags of the combinations of steps with all numbers within bounds, bool (combinations,)."""
        if self.libraries[kind]:
            return np.ones(self.shapes[kind], bool)
        out = np.ones(1, bool)
        for slot in self._kind_slots[kind]:
            out = np.logical_and.outer(out, self.legal_steps(slot, legal)).ravel()
        return out

    def decode_steps(self, kind: int, steps: Steps, legal: Legal) -> Any:
        """Decode steps to a typed move, or an `Invalid`."""
        if not legal.kinds[kind]:
            name = self.actions.names[kind]
            return Invalid("illegal_now", f'"{name}" is not possible now; {self.actions.describe_allowed(legal)}')
        action = self.make_action(kind, steps, legal.grid_bounds)
        # A grid over the bounds themselves needs no check, steps of counts and of other ranges do.
        if self.discrete_slots or legal.grid is not None:
            return self.actions.parse(self.actions.to_plain(action), legal)
        return self.actions.validate_action(action, legal)


def numeric_moves(actions: ActionSchema, grid: Grid, seats: int, no_op: bool) -> ListedMoves | MultiDiscreteMoves:
    """Return the list encoding, or the MultiDiscrete one if any kind has too many moves."""
    slots = Slots(actions, grid, seats)
    return MultiDiscreteMoves(slots, no_op) if slots.exceeds_size(MAX_LISTED_MOVES) else ListedMoves(slots, no_op)


class ListedMoves:
    """One integer per move: kinds in order, each with all combinations of its numbers, the last varying fastest.

    With symbols, each combination of a kind with a message is repeated for every symbol.

    Attributes:
        moves: (index of the kind, steps of its numbers) of every action except the no-op.
        symbols: Symbol of each of them, or `NO_SYMBOL` if the kind has no message.
    """

    def __init__(self, slots: Slots, no_op: bool) -> None:
        self.slots, self.no_op = slots, no_op
        spoken, self.sizes = slots.symbol_counts, slots.sizes
        all_steps = [(kind, steps) for kind, shape in enumerate(slots.shapes) for steps in np.ndindex(*shape)]
        self.moves = [move for move in all_steps for _ in range(spoken[move[0]])]
        symbols = [[*range(times)] if times > 1 else [NO_SYMBOL] for times in spoken]
        self.symbols = [one for kind, _ in all_steps for one in symbols[kind]]
        self._sends_symbol = np.array([*(one > 0 for one in self.symbols), *[False] * no_op])
        self.size = self.numbers = len(self.moves) + no_op
        self.allowed = f"whole numbers 0 to {self.size - 1}"
        self._masks: dict[Any, np.ndarray] = {}
        self._cached_legal: Legal | None = None
        self._cached_mask = np.empty(0, np.int8)  # mask of `_cached_legal`
        # For the fast path: slot of a kind's only amount, -1 for kinds without numbers, else None.
        self._amount_slots = [slots.only_amount(kind) for kind in range(len(slots.shapes))]
        self._empty_actions = [
            slots.actions.make(kind) if slot == -1 else None for kind, slot in enumerate(self._amount_slots)
        ]

    def space(self, seed: int | None = None) -> spaces.Discrete:
        return spaces.Discrete(self.size, seed=seed)

    def mask(self, legal: Legal) -> np.ndarray:
        """Return the action mask, a new int8 array of shape (size,): 1 for legal moves.

        If no move is legal: 1 for the no-op only if there is one, else all 1.
        """
        if legal is not self._cached_legal:  # called for the info, then for the observation
            self._cached_legal, self._cached_mask = legal, self._mask(legal)
        # Learners may write into what they get.
        return self._cached_mask.copy()

    def _mask(self, legal: Legal) -> np.ndarray:
        key: tuple[Any, ...] = legal.kinds if not self.slots.symbols else (*legal.kinds, bool(legal.messages))
        if legal.grid is not None:
            key = (*key, legal.bounds, legal.grid)
        elif self.slots.discrete_slots:
            key = (*key, *[legal.bounds[slot] for slot in self.slots.discrete_slots])
        mask = self._masks.get(key)
        if mask is None:
            # Bounds that change in every round hardly repeat; masks that do are too few to fill the cache.
            if len(self._masks) >= MAX_CACHED_MASKS:
                self._masks.clear()
            mask = self._masks[key] = self._mask_within_bounds(legal)
        return mask if legal.refusal is None or True not in legal.kinds else self._mask_refusals(mask.copy(), legal)

    def _mask_within_bounds(self, legal: Legal) -> np.ndarray:
        if True not in legal.kinds:
            return np.array([not self.no_op] * len(self.moves) + [True] * self.no_op, np.int8)
        parts = [
            self.slots.legal_combinations(kind, legal).repeat(times) if possible else np.zeros(self.sizes[kind], bool)
            for kind, (possible, times) in enumerate(zip(legal.kinds, self.slots.symbol_counts, strict=True))
        ]
        mask = self._add_no_op(np.concatenate(parts).astype(np.int8))
        if self.slots.symbols and not legal.messages:
            mask[self._sends_symbol] = 0
        return mask

    def _add_no_op(self, mask: np.ndarray) -> np.ndarray:
        return np.append(mask, np.int8(not mask.any())) if self.no_op else mask

    def _mask_refusals(self, mask: np.ndarray, legal: Legal) -> np.ndarray:
        mask, refused, begin = mask[: len(self.moves)], legal.refusal, 0
        assert refused is not None
        for kind, size in enumerate(self.sizes):
            own = mask[begin : begin + size]  # of this kind; a view
            if legal.kinds[kind]:
                times, listed = self.slots.symbol_counts[kind], self.slots.moves(kind, legal.grid_bounds)
                pairs = zip(
                    own.reshape(-1, times)[:, 0].tolist(), listed, strict=True
                )  # the first symbol stands for silence
                own &= np.repeat([one and refused(move) is None for one, move in pairs], times).astype(np.int8)
            begin += size
        return self._add_no_op(mask)

    def decode(self, action: Any, legal: Legal) -> Any:
        """Decode an integer to a typed move, or an `Invalid`."""
        try:
            number = action if action.__class__ is int else -1 if action.__class__ in _BOOLEANS else int(action)
        except (TypeError, ValueError, OverflowError):
            return Invalid("wrong_type", f"a numeric action must be a whole number; got {short_repr(action)}")
        if not 0 <= number < self.size or number != action:  # a fraction
            return Invalid(
                "out_of_range", f"a numeric action must lie from 0 to {self.size - 1}; got {short_repr(action)}"
            )
        if number == len(self.moves):
            return Invalid("illegal_now", f"the no-op is for who waits; {self.slots.actions.describe_allowed(legal)}")
        kind, steps = self.moves[number]
        slot = self._amount_slots[kind]
        if slot is None or not legal.kinds[kind] or legal.refusal is not None:
            return self.slots.add_symbol(self.slots.decode_steps(kind, steps, legal), self.symbols[number], legal)
        if slot < 0:
            return self._empty_actions[kind]
        # A grid from public information can reach beyond the bounds of this seat: then the move is checked.
        if legal.grid is not None and not _is_within(legal.grid[slot], legal.bounds[slot]):
            return self.slots.decode_steps(kind, steps, legal)
        low, high = (legal.grid or legal.span or legal.bounds)[slot]
        return self.slots.make_amount_action(kind, slot, steps[0], low, high)

    def encode(self, action: Any, legal: Legal) -> int:
        """Return the action nearest to a typed move."""
        kind, steps = self.slots.nearest_steps(action, legal.grid_bounds)
        place = int(np.ravel_multi_index(steps, self.slots.shapes[kind])) if steps else 0
        place = place * self.slots.symbol_counts[kind] + (
            self.slots.symbol_of(action) if self.slots.symbol_counts[kind] > 1 else 0
        )
        return sum(self.sizes[:kind]) + place


def _is_within(grid: Bounds, bounds: Bounds) -> bool:
    return bounds[0] <= grid[0] and grid[1] <= bounds[1]


class FlatMaskMultiDiscrete(spaces.MultiDiscrete):
    """MultiDiscrete whose `sample` also accepts the concatenated masks of all parts.

    Gymnasium expects a tuple of arrays; PettingZoo's tests and sb3-contrib use flat masks.
    """

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Sample an action; parts with an all-zero mask get their first value."""
        if isinstance(mask, np.ndarray):
            mask = tuple(np.split(mask.astype(np.int8), np.cumsum(self.nvec)[:-1]))
        return super().sample(mask, probability)


class MultiDiscreteMoves:
    """One array per move: its kind, then a step for every number of every kind; those of other kinds are ignored.

    With symbols, the last part is the symbol.

    The mask concatenates the parts. It cannot express constraints between parts, so that such moves are invalid
    answers.
    """

    numbers = 0  # no action is a plain integer

    def __init__(self, slots: Slots, no_op: bool) -> None:
        self.slots, self.no_op = slots, no_op
        self.sizes = [len(slots.shapes) + no_op, *slots.steps, *[slots.symbols] * (slots.symbols > 0)]
        self.size = sum(self.sizes)
        self.allowed = f"{len(self.sizes)} whole numbers, each from 0 to below {self.sizes}"

    def space(self, seed: int | None = None) -> FlatMaskMultiDiscrete:
        """Return the action space: the kind, and one part per number of all kinds."""
        return FlatMaskMultiDiscrete(self.sizes, seed=seed)

    def mask(self, legal: Legal) -> np.ndarray:
        """Return the action mask, a new int8 array of shape (size,): 1 for legal values, parts concatenated.

        If the seat is not to move: 1 for the no-op and the first values if there is a no-op, else all 1.
        """
        if not (self.no_op or any(legal.kinds)):
            return np.ones(self.size, np.int8)
        kinds = [*legal.kinds, *([not any(legal.kinds)] if self.no_op else [])]
        parts = [self._slot_mask(slot, legal) for slot in range(len(legal.bounds))]
        if self.slots.symbols:
            parts.append(np.arange(self.slots.symbols) < (self.slots.symbols if legal.messages else 1))
        return np.concatenate([np.array(kinds, bool), *parts]).astype(np.int8)

    def _slot_mask(self, slot: int, legal: Legal) -> np.ndarray:
        """Mask the values of a number within its bounds; for illegal kinds, only the first."""
        if legal.kinds[self.slots.owners[slot]]:
            return self.slots.legal_steps(slot, legal)
        return np.arange(self.slots.steps[slot]) < 1

    def decode(self, action: Any, legal: Legal) -> Any:
        """Decode parts to a typed move, or an `Invalid`."""
        try:
            parts = np.asarray(action)
        except ValueError:  # lists of different lengths
            parts = np.empty(0)
        if parts.shape != (len(self.sizes),) or parts.dtype.kind not in "iu":
            text = f"a numeric action must be {len(self.sizes)} whole numbers; got {short_repr(action)}"
            return Invalid("wrong_type", text)
        if np.any(parts < 0) or np.any(parts >= self.sizes):
            return Invalid("out_of_range", f"a numeric action must lie within {self.sizes}; got {short_repr(action)}")
        kind = int(parts[0])
        if kind == len(self.slots.shapes):
            return Invalid("illegal_now", f"the no-op is for who waits; {self.slots.actions.describe_allowed(legal)}")
        first = 1 + self.slots.actions.first[kind]
        steps = tuple(map(int, parts[first : first + len(self.slots.shapes[kind])]))
        symbol = int(parts[-1]) if self.slots.symbol_counts[kind] > 1 else NO_SYMBOL
        return self.slots.add_symbol(self.slots.decode_steps(kind, steps, legal), symbol, legal)

    def encode(self, action: Any, legal: Legal) -> np.ndarray:
        """Encode a typed move by its nearest steps; parts of other kinds are 0."""
        kind, steps = self.slots.nearest_steps(action, legal.grid_bounds)
        parts = np.zeros(len(self.sizes), np.int64)
        parts[0], first = kind, 1 + self.slots.actions.first[kind]
        parts[first : first + len(steps)] = steps
        if self.slots.symbols:
            parts[-1] = self.slots.symbol_of(action)
        return parts
