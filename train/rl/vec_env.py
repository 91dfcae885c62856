"""Compiled games as a vector environment of Stable-Baselines3, whose learners ask it for masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from econzoo.envs.core.vector.learner_batch import LearnerBatch

__all__ = ["BatchVecEnv"]


class BatchVecEnv(VecEnv):
    """A `LearnerBatch` behind the interface of Stable-Baselines3.

    Observations are arrays of numbers; the masks of legal actions are given by ``env_method("action_masks")``, where
    sb3-contrib looks for them. A game that ends starts again at once; its info has ``terminal_observation`` and
    ``gain`` and ``payoff`` of every seat.

    Args:
        batch: The games. It needs a `seat`.
        seed: Of everything that is drawn; None: at random, until `seed` is called.
    """

    def __init__(self, batch: LearnerBatch, seed: int | None = None) -> None:
        if not batch.seats:
            raise ValueError("a LearnerBatch without a seat is not allowed here; give seat and opponent")
        self.games, self.render_mode = batch, None
        self._actions, self._seed = np.zeros(batch.num_games, np.int64), seed
        self._masks = np.zeros((batch.num_games, 0), np.int8)
        space = batch.face.observation_space(0)["observation"]  # type: ignore[index]
        super().__init__(batch.num_games, space, batch.face.action_space(0))

    def reset(self) -> np.ndarray:
        """Starts all games; gives the observations."""
        observations, self._masks = self.games.reset(self._seed)
        self._seed = None
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seeds the next `reset`."""
        self._seed = seed
        return [seed] * self.num_envs

    def step_async(self, actions: np.ndarray) -> None:
        """Takes the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Plays them."""
        games, everywhere = self.games, np.ones(self.num_envs, bool)
        actors, done = games.acting_seats(), games.play(self._actions, everywhere)
        rewards, infos = np.zeros(self.num_envs, np.float32), [dict[str, Any]() for _ in range(self.num_envs)]
        if done.any():
            ended, results = np.flatnonzero(done), games.results(done)
            rewards[done] = games.rewards(done, actors, results["gain"])
            for number, last in zip(ended, games.observe(actors[ended], ended)[0], strict=True):
                told = {name: results[name][number].tolist() for name in ("payoff", "gain")}
                infos[number] = {"terminal_observation": last, "TimeLimit.truncated": False, **told}
            games.start(done)
        observations, self._masks = games.observe()
        return observations, rewards, done, infos

    def close(self) -> None:
        """Nothing to close."""

    def action_masks(self) -> np.ndarray:
        """Which actions are legal, bool of shape (games, actions)."""
        return self._masks.astype(bool)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute for each game."""
        return [getattr(self, attr_name)] * len(self._env_indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute for all games."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """What a method gives for each game."""
        given = getattr(self, method_name)(*args, **kwargs)
        return [given[number] for number in self._env_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No wrappers."""
        return [False] * len(self._env_indices(indices))

    def _env_indices(self, indices: int | Iterable[int] | None) -> list[int]:
        return list(self._get_indices(indices))
