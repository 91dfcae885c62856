"""Compiled games as a vector environment of Stable-Baselines3 with action masks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from econzoo.envs.core.env import check_reset_options
from econzoo.envs.core.vector import LearnerBatch

__all__ = ["BatchVecEnv"]


class BatchVecEnv(VecEnv):
    """A `LearnerBatch` as a vector environment of Stable-Baselines3.

    Observations are arrays of numbers; ``env_method("action_masks")`` returns the masks of legal actions, as
    sb3-contrib expects. A finished game restarts at once; its info has ``terminal_observation``, and
    ``gain`` and ``payoff`` of every seat.

    Args:
        batch: The games, with a `seat`.
        seed: Random seed; None: unseeded, until `seed` is called.
    """

    def __init__(self, batch: LearnerBatch, seed: int | None = None) -> None:
        if not batch.seats:
            raise ValueError("invalid batch: expected a LearnerBatch with seat and opponent")
        self.games, self.render_mode = batch, None
        self._actions, self._seed = np.zeros(batch.num_games, np.int64), seed
        self._masks = np.zeros((batch.num_games, 0), np.int8)
        space = batch.face.observation_space(0)["observation"]  # type: ignore[index]
        super().__init__(batch.num_games, space, batch.face.action_space(0))

    def reset(self) -> np.ndarray:
        """Start all games with the options of `set_options` and return the observations."""
        for number, options in enumerate(self._options):
            # Games mostly have the same options, which are then changed for all of them at once.
            if number == 0 or options != self._options[number - 1]:
                same = np.array([one == options for one in self._options])
                self.games.change_params(check_reset_options(self.games.game, options, ("params",)).get("params"), same)
        observations, self._masks = self.games.reset(self._seed)
        self._seed = None  # later resets go on with the same random numbers
        self._reset_options()
        return observations

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed the next `reset`."""
        self._seed = seed
        return [seed] * self.num_envs

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions."""
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play the stored actions."""
        games, everywhere = self.games, np.ones(self.num_envs, bool)
        actors, done = games.acting_seats(), games.play(self._actions, everywhere)
        infos = [dict[str, Any]() for _ in range(self.num_envs)]
        results = games.results(done) if done.any() else {}
        rewards = games.pay(done, actors, results.get("gain")).astype(np.float32)
        if results:
            # Read before the games restart, which overwrites their positions.
            ended = np.flatnonzero(done)
            for number, last in zip(ended, games.observe(actors[ended], ended)[0], strict=True):
                outcome = {name: results[name][number].tolist() for name in ("payoff", "gain")}
                infos[number] = {"terminal_observation": last, "TimeLimit.truncated": False, **outcome}
            games.start(done)
        observations, self._masks = games.observe()
        return observations, rewards, done, infos

    def close(self) -> None:
        """Do nothing."""

    def action_masks(self) -> np.ndarray:
        """Return the masks of legal actions, bool of shape (games, actions)."""
        return self._masks.astype(bool)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for each game."""
        return [getattr(self, attr_name)] * len(self._env_indices(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all games."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Return a method's result for each game."""
        given = getattr(self, method_name)(*args, **kwargs)
        return [given[number] for number in self._env_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game: there are no wrappers."""
        return [False] * len(self._env_indices(indices))

    def _env_indices(self, indices: int | Iterable[int] | None) -> list[int]:
        return list(self._get_indices(indices))
