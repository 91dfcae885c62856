"""The numeric face: numbers in, a number out, for reinforcement learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from econzoo.envs.core.contract.symbols import last_symbol_features
from econzoo.envs.core.faces.grid_range import GridRange, RangedMoves, Ranges
from econzoo.envs.core.faces.numeric_moves import GRID, Grid, numeric_moves
from econzoo.envs.core.faces.spaces import FLOAT32, NumericSpace

if TYPE_CHECKING:
    from econzoo.envs.core.contract.actions import ActionSchema, Legal
    from econzoo.envs.core.contract.game import Game
    from econzoo.envs.core.faces.structured_face import InformationState


class NumericFace:
    """Numbers in, a number out: ``Dict(observation=Box, action_mask=int8)`` and a Discrete action.

    The actions list the kinds of move in order, and of each all combinations of its numbers: an amount takes `grid`
    values, equally spaced over its usual ones, a count, a choice or a seat each of its values; a kind that is a text
    takes one number for each text of its library. Where a kind has too many combinations, the action is MultiDiscrete
    (see `econzoo.envs.core.faces.multi_discrete_moves`). The observation is the game's `features`, each in [-1, 1];
    behind them stand the symbols that the others sent last, if there are any (`econzoo.envs.core.contract.symbols`).
    Every array is the caller's own: it may be written to. Of a seat that waits, or whose match is over, the mask has a
    1 for every action, or for the no-op alone if there is one: libraries draw an action there too, which is not used.

    Args:
        game: The game.
        grid: Values of an amount, >= 2, or by the name of its field.
        grid_range: Over which part of the usual values these are spaced; None: over all.
        features: How many the game has; None: as many as with default parameters.
        actions: The kinds of move with groups of the right size, and symbols; None: as with default parameters.
        seats: Number of seats; None: as with default parameters.
        mask: Where the mask stands: in the ``observation``, in the ``info``, or in ``both``.
        flat: Whether the observation is the Box alone, so that the mask stands in the info only.
        no_op: Whether the last action, after all moves, is a no-op: legal exactly where no move is.

    Attributes:
        moves: The code between actions and moves.
    """

    name = "numeric"
    max_retries = 0
    on_error = "default"

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
        self.size, self.numbers = self.moves.size, self.moves.numbers
        self.mask, self.decode, self.encode = coded.mask, coded.decode, coded.encode
        self._flat, self._in_observation, self._in_info = flat, not flat and mask != "info", mask != "observation"
        self._features, self._space = game.rules.features, self.moves.space()

    def observation_space(self, seed: int) -> spaces.Space:
        """``observation``: float32 of shape (features,) in [-1, 1]; ``action_mask``: int8 of shape (actions,)."""
        box = spaces.Box(-1.0, 1.0, (self.feature_count,), np.float32, seed=seed)
        if self._flat:
            return box
        mask = {"action_mask": spaces.Box(0, 1, (self.size,), np.int8)} if self._in_observation else {}
        return NumericSpace({"observation": box, **mask}, seed=seed)

    def action_space(self, seed: int) -> spaces.Space:
        """One number per move, and the no-op if there is one."""
        return self.moves.space(seed)

    def contains(self, action: Any) -> bool:
        """Whether this is in the action space; True and False are no numbers here."""
        return not isinstance(action, bool | np.bool_) and bool(self._space.contains(action))

    def observe(self, state: InformationState) -> Any:
        """The features, and the mask if it stands with them."""
        numbers = self._features(state.view)
        if self._symbols:
            numbers = (*numbers, *last_symbol_features(state.view.seat, self._seats, state.events, self._actions))
        features = np.fromiter(numbers, FLOAT32, len(numbers))  # quicker than `np.array`
        if self._in_observation:
            return {"observation": features, "action_mask": self.mask(state.legal)}
        return features if self._flat else {"observation": features}

    def info(self, legal: Legal) -> dict[str, Any]:
        """The mask, if it stands here."""
        return {"action_mask": self.mask(legal)} if self._in_info else {}
