"""The numeric face: numbers in, a number out, for reinforcement learning."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.actions import Legal
from econzoo.envs.core.faces import Seen
from econzoo.envs.core.game import Game
from econzoo.envs.core.values import Invalid, short

MASKS = ("both", "observation", "info")
"""Where the mask of legal actions can stand."""

_FLOAT32 = np.dtype(np.float32)
_BOOLEANS = frozenset((bool, np.bool_))  # Python would take them for the actions 0 and 1


class NumericFace:
    """Numbers in, a number out: ``Dict(observation=Box, action_mask=int8)`` and a Discrete action.

    The actions list the kinds of move in order; a kind that carries an amount takes `grid` numbers, equally
    spaced over its usual amounts, and a kind that is a text one number for each text of its library. The
    observation is the game's `features`, each in [-1, 1]. Every array is the caller's own: it may be written to.

    Args:
        game: The game.
        grid: Amounts per kind of move, >= 2.
        features: How many there are; None: as many as with default parameters.
        mask: Where the mask stands: in the ``observation``, in the ``info``, or in ``both``.
        flat: Whether the observation is the Box alone, so that the mask stands in the info only.
        no_op: Whether the last action, after all moves, is a no-op: legal exactly where no move is.

    Attributes:
        size: Number of actions.
        moves: (index of the kind, step of the grid) of every action but the no-op.
    """

    name = "numeric"
    reasks = 0
    on_error = "default"

    def __init__(
        self,
        game: Game,
        grid: int = 101,
        features: int | None = None,
        *,
        mask: str = "both",
        flat: bool = False,
        no_op: bool = False,
    ) -> None:
        self.game, self.grid = game, grid
        self.count = len(game.feature_names()) if features is None else features
        self.moves = [
            (index, step) for index, kind in enumerate(game.actions.kinds) for step in range(kind.numbers(grid))
        ]
        self.no_op, self.size = no_op, len(self.moves) + no_op
        self._flat, self._in_observation, self._in_info = flat, not flat and mask != "info", mask != "observation"
        self._sizes = [kind.numbers(grid) for kind in game.actions.kinds]
        self._libraries = [kind.source.library() if kind.source else () for kind in game.actions.kinds]
        self._whole = [kind.whole for kind in game.actions.kinds]
        self._masks: dict[tuple[bool, ...], np.ndarray] = {}
        self._features = game.rules.features

    def observation_space(self, seed: int) -> spaces.Space:
        """``observation``: float32 of shape (features,) in [-1, 1]; ``action_mask``: int8 of shape (actions,)."""
        box = spaces.Box(-1.0, 1.0, (self.count,), np.float32, seed=seed)
        if self._flat:
            return box
        mask = {"action_mask": spaces.Box(0, 1, (self.size,), np.int8)} if self._in_observation else {}
        return spaces.Dict({"observation": box, **mask}, seed=seed)

    def action_space(self, seed: int) -> spaces.Discrete:
        """One number per kind of move and step of the grid, and the no-op if there is one."""
        return spaces.Discrete(self.size, seed=seed)

    def mask(self, legal: Legal) -> np.ndarray:
        """int8 of shape (actions,): 1 where an action is legal."""
        try:
            return self._masks[legal.kinds].copy()
        except KeyError:
            mask = np.repeat(np.array(legal.kinds, np.int8), self._sizes)
            self._masks[legal.kinds] = np.append(mask, np.int8(not mask.any())) if self.no_op else mask
            return self._masks[legal.kinds].copy()

    def observe(self, seen: Seen) -> Any:
        """The features, and the mask if it stands with them."""
        numbers = self._features(seen.view)
        features = np.fromiter(numbers, _FLOAT32, len(numbers))  # quicker than `np.array`
        if self._in_observation:
            return {"observation": features, "action_mask": self.mask(seen.legal)}
        return features if self._flat else {"observation": features}

    def info(self, legal: Legal) -> dict[str, Any]:
        """The mask, if it stands here."""
        return {"action_mask": self.mask(legal)} if self._in_info else {}

    def amount(self, step: int, span: tuple[float, float], whole: bool = False) -> float:
        """The amount of a step of the grid; the nearest whole number to it (upwards from a half) if `whole`."""
        low, high = span
        amount = high if step == self.grid - 1 else low + step * (high - low) / (self.grid - 1)
        return float(math.floor(amount + 0.5)) if whole else amount

    def decode(self, action: Any, legal: Legal) -> Any:
        """The typed move with this number."""
        try:
            number = -1 if action.__class__ in _BOOLEANS else int(action)
        except (TypeError, ValueError, OverflowError):
            return Invalid("wrong_type", f"a numeric action must be a whole number; got {short(action)}")
        if number != action or not 0 <= number < self.size:
            return Invalid("out_of_range", f"a numeric action must lie from 0 to {self.size - 1}; got {short(action)}")
        if number == len(self.moves):
            return Invalid("illegal_now", f"the no-op is for who waits; {self.game.actions.allowed(legal)}")
        index, step = self.moves[number]
        if not legal.kinds[index]:
            name = self.game.actions.names[index]
            return Invalid("illegal_now", f'"{name}" is not possible now; {self.game.actions.allowed(legal)}')
        amount = float(step) if self._libraries[index] else self.amount(step, legal.usual, self._whole[index])
        return self.game.actions.make(index, amount)

    def encode(self, action: Any, legal: Legal) -> int:
        """The number whose move is nearest to a typed move.

        Raises:
            ValueError: The move is a text that is not in the library of its kind.
        """
        index, amount = self.game.actions.move(action)
        start = sum(self._sizes[:index])
        library = self._libraries[index]
        if library and action[0] not in library:
            raise ValueError(
                f"{self.game.name}: only the {len(library)} texts of the library have numbers; not this one"
            )
        if library:
            return start + library.index(action[0])
        if self._sizes[index] == 1:
            return start
        low, high = legal.usual
        width = (high - low) or 1.0
        return start + round((min(max(amount, low), high) - low) / width * (self.grid - 1))
