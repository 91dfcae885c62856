"""Stable-Baselines3 makes every game by its id, as its own `make_vec_env` and RL Zoo do."""

from __future__ import annotations

import numpy as np
import pytest

import econzoo
from econzoo.envs.core.registry import gymnasium_id

pytestmark = pytest.mark.models
IDS = [f"econzoo:{gymnasium_id(name, econzoo.game(name).version)}" for name in econzoo.games()]


def test_made_and_drawn() -> None:
    for id in IDS:
        from stable_baselines3.common.env_util import make_vec_env

        envs = make_vec_env(id, n_envs=2, seed=1)
        envs.reset()
        one, two = envs.get_images()
        assert one.shape == two.shape == (540, 960, 3), id
        assert one.dtype == np.uint8, id


@pytest.mark.long
def test_made_in_processes_of_their_own() -> None:
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    kwargs = {"start_method": "spawn"}
    envs = make_vec_env(IDS[0], n_envs=2, seed=1, vec_env_cls=SubprocVecEnv, vec_env_kwargs=kwargs)
    try:
        envs.reset()
        assert envs.step(np.array([50, 50]))[0]["observation"].shape[0] == 2
        assert len(envs.get_images()) == 2
    finally:
        envs.close()
