"""Compiled games as a batched TorchRL environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from econzoo.envs.core.env import check_reset_options
from econzoo.envs.core.vector import LearnerBatch

__all__ = ["BatchTorchEnv"]


class BatchTorchEnv(EnvBase):
    """A `LearnerBatch` as a TorchRL environment with ``observation``, ``action_mask`` and ``reward``.

    Args:
        batch: The games, with a `seat` and one list of actions.
        seed: Random seed.
    """

    batch_locked = True

    def __init__(self, batch: LearnerBatch, seed: int | None = None) -> None:
        space = batch.face.action_space(0)
        if not batch.seats or not hasattr(space, "n"):
            raise ValueError("invalid batch: expected a LearnerBatch with seat, opponent and one list of actions")
        size = torch.Size([batch.num_games])
        super().__init__(device=torch.device("cpu"), batch_size=size)
        self.games, self._begin = batch, seed
        observations = Unbounded((*size, batch.batch.features), dtype=torch.float32)
        masks = Binary(int(space.n), (*size, int(space.n)), dtype=torch.bool)
        self.observation_spec = Composite(observation=observations, action_mask=masks, shape=size)
        self.action_spec = Categorical(int(space.n), size, dtype=torch.int64)
        self.reward_spec = Unbounded((*size, 1), dtype=torch.float32)

    def _reset(
        self, tensordict: TensorDictBase | None = None, *, options: Mapping[str, Any] | None = None
    ) -> TensorDictBase:
        """Start all games, or those that TorchRL names; options: see `LearnerBatch.reset`."""
        some = None if tensordict is None else tensordict.get("_reset", None)
        if some is None:
            self.games.reset(self._begin, options)
            self._begin = None  # later resets go on with the same random numbers
        else:
            where = some.numpy().reshape(-1)
            given = check_reset_options(self.games.game, options, ("params",))
            self.games.change_params(given.get("params"), where)
            self.games.start(where)
        return self._to_tensordict(np.zeros(self.games.num_games, bool))

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        games = self.games
        actors, everywhere = games.acting_seats(), np.ones(games.num_games, bool)
        done = games.play(tensordict["action"].numpy(), everywhere)
        rewards = games.pay(done, actors, games.results(done)["gain"] if done.any() else None).astype(np.float32)
        after = self._to_tensordict(done)
        return after.set("reward", torch.from_numpy(rewards)[:, None])

    def _to_tensordict(self, done: np.ndarray) -> TensorDict:
        observations, masks = self.games.observe()
        ended = torch.from_numpy(done)[:, None]
        observation = {"observation": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks).bool()}
        return TensorDict({**observation, "done": ended, "terminated": ended.clone()}, self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        self._begin = seed
