"""Numeric face for reinforcement learning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract import NO_SYMBOL, ActionSchema, Event, Game, Legal, symbol_index
from econzoo.envs.core.faces.grid_range import GridRange, RangedMoves, Ranges
from econzoo.envs.core.faces.numeric_moves import GRID, Grid, numeric_moves
from econzoo.envs.core.faces.spaces import FLOAT32, NumericSpace
from econzoo.envs.core.faces.structured_face import InformationState


class NumericFace:
    """Numeric interface: ``Dict(observation=Box, action_mask=int8)`` observations and Discrete actions.

    Actions enumerate the kinds of move in order, each with all combinations of its numbers: `grid` equally spaced
    values over the usual range of an amount; all values of a count, choice or seat; one action per library text of a
    `Source`. If a kind has too many combinations, actions are MultiDiscrete
    (see `econzoo.envs.core.faces.numeric_moves`). Observations are the game's `features` in [-1, 1],
    followed by the last symbols of the other seats, if any (`econzoo.envs.core.contract.symbols`).
    Arrays are new and may be modified. If a seat waits or its match is over, the mask is all 1, or 1 for the no-op only
    if there is one: libraries sample an action there, too, which is ignored.

    Args:
        grid: Grid size of amounts, >= 2, or a mapping by field.
        grid_range: Fraction of the usual range that the grid covers; None: all.
        features: Number of features; None: as with default parameters.
        actions: Kinds of move with sized groups and symbols; None: as with default parameters.
        seats: Number of seats; None: as with default parameters.
        mask: Location of the mask: ``observation``, ``info`` or ``both``.
        flat: Whether the observation is the Box alone, with the mask only in the info.
    """

    name = "numeric"
    max_retries = 0
    on_error = "default"
    plain: type | None = None

    def __init__(
        self,
        game: Game,
        grid: Grid = GRID,
        features: int | None = None,
        *,
        grid_range: GridRange = None,
        actions: ActionSchema | None = None,
        seats: int | None = None,
        mask: str = "both",
        flat: bool = False,
        no_op: bool = False,
    ) -> None:
        self.game, self.grid = game, grid
        chosen = game.actions_of(game.params()[1]) if actions is None and game.actions.has_groups else actions
        self._actions, self._seats = chosen or game.actions, seats or game.facts.seats
        self.moves = numeric_moves(self._actions, grid, self._seats, no_op)
        self._symbols = self._actions.symbols
        own = len(game.feature_names()) if features is None else features
        self.feature_count = own + (self._seats - 1) * self._symbols
        ranges = Ranges(grid_range, chosen or game.actions)
        coded = self.moves if ranges.is_full else RangedMoves(self.moves, ranges)
        self.size, self.numbers, self.allowed = self.moves.size, self.moves.numbers, self.moves.allowed
        self.mask, self.decode, self.encode = coded.mask, coded.decode, coded.encode
        self._flat, self._in_observation, self._in_info = flat, not flat and mask != "info", mask != "observation"
        self._features, self._space = game.rules.features, self.moves.space()

    def observation_space(self, seed: int) -> spaces.Space:
        """Return the space of ``observation``, float32 (features,) in [-1, 1], and ``action_mask``, int8 (actions,)."""
        box = spaces.Box(-1.0, 1.0, (self.feature_count,), np.float32, seed=seed)
        if self._flat:
            return box
        mask = {"action_mask": spaces.Box(0, 1, (self.size,), np.int8)} if self._in_observation else {}
        return NumericSpace({"observation": box, **mask}, seed=seed)

    def action_space(self, seed: int) -> spaces.Space:
        return self.moves.space(seed)

    def contains(self, action: Any) -> bool:
        """Whether an action is in the action space; booleans are not."""
        return not isinstance(action, bool | np.bool_) and bool(self._space.contains(action))

    def observe(self, state: InformationState) -> Any:
        """Return the features, with the mask unless it is only in the info."""
        numbers = self._features(state.view)
        if self._symbols:
            numbers = (*numbers, *last_symbol_features(state.view.seat, self._seats, state.events, self._actions))
        features = np.fromiter(numbers, FLOAT32, len(numbers))  # faster than `np.array`
        if self._in_observation:
            return {"observation": features, "action_mask": self.mask(state.legal)}
        return features if self._flat else {"observation": features}

    def info(self, legal: Legal) -> dict[str, Any]:
        """Return the mask, unless it is only in the observation."""
        return {"action_mask": self.mask(legal)} if self._in_info else {}


def last_symbol_features(seat: int, seats: int, events: Iterable[Event], actions: ActionSchema) -> list[float]:
    """One-hot encode the last symbol of every other seat.

    Returns:
        One number per other seat and symbol: 1 for the last one sent, else 0.
    """
    last, count = [NO_SYMBOL] * seats, actions.symbols
    for event in events:
        message = actions.kind_and_message(event.action)[1] if event.action.__class__ in actions.models else ""
        if (symbol := symbol_index(message, count)) != NO_SYMBOL:
            last[event.seat] = symbol
    return [float(last[other] == one) for other in range(seats) if other != seat for one in range(count)]
