"""MultiDiscrete encoding of moves, for games with too many moves to list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract.symbols import NO_SYMBOL
from econzoo.envs.core.contract.validation import Invalid, short_repr

if TYPE_CHECKING:
    from econzoo.envs.core.contract.moves import Legal
    from econzoo.envs.core.faces.numeric_moves import Slots


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

    Args:
        slots: Numbers of the kinds of move.
        no_op: Whether the last kind is a no-op, legal exactly if no move is.

    Attributes:
        sizes: Number of values of every part.
        size: Length of the mask.
        numbers: Number of integers that are actions: 0.
        allowed: Description of the actions.
    """

    numbers = 0

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
