"""A plain Box for libraries that know no Dict observations."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np


class FlatObservation(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Shows only the numbers of a numeric observation; the mask stays in ``info["action_mask"]``.

    Args:
        env: A Gymnasium environment with ``Dict(observation=Box, ...)`` observations.

    Raises:
        ValueError: The observations are something else.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        space = env.observation_space
        box = space.spaces.get("observation") if isinstance(space, gymnasium.spaces.Dict) else None
        if not isinstance(box, gymnasium.spaces.Box):
            raise ValueError(f"a flat view needs Dict(observation=Box, ...) observations; got {space}"[:300])
        self.observation_space = gymnasium.spaces.Box(box.low, box.high, box.shape, np.float32)

    def observation(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        """The numbers of one observation."""
        return observation["observation"]

    def action_masks(self) -> np.ndarray:
        """Which actions are legal now; see `SingleAgentEnv.action_masks`."""
        return self.env.get_wrapper_attr("action_masks")()
