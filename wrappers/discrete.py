"""Numbers around a structured environment."""

from __future__ import annotations

from typing import Any

from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.parameters import checked
from econzoo.envs.core.env.options import GRID_SIZES
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.structured_face import Face
from econzoo.wrappers.face import FaceView

__all__ = ["DiscreteActions"]


class DiscreteActions(FaceView):
    """Shows ``Dict(observation=Box, action_mask=int8)`` and takes a number, as ``face="numeric"`` does.

    Args:
        env: An environment made with ``face="structured"``.
        grid: Amounts per kind of move, from 2 to 10,001.

    Raises:
        ValueError: The environment has another face, or the grid is not allowed.
    """

    def __init__(self, env: Any, grid: int = 101) -> None:
        self.grid = checked("DiscreteActions: grid", grid, GRID_SIZES)
        super().__init__(env)

    def make_face(self, legal: Legal, seat: int) -> Face:
        """See `econzoo.envs.core.faces.numeric_face.NumericFace`."""
        inside = self.env.unwrapped
        shape = {"actions": inside.actions, "seats": len(inside.possible_agents)}
        return NumericFace(self.game, self.grid, self._features(), **shape)
