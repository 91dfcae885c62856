"""Stable-Baselines3 makes every game by its id, as its own `make_vec_env` and RL Zoo do."""

from __future__ import annotations

import numpy as np
import pytest

import econzoo
from econzoo.envs.core import gymnasium_id

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


def test_options_set_for_the_next_reset_are_those_of_every_view(interpreted: None) -> None:
    from stable_baselines3.common.env_util import make_vec_env

    from econzoo.envs.core.vector import LearnerBatch
    from econzoo.train import BatchVecEnv

    several = make_vec_env(IDS[0], n_envs=2, seed=1, env_kwargs={"opponent": "fair", "seat": 0})
    several.set_options([{"params": {"money": 50.0}}, {"params": {"money": 60.0}}])
    several.reset()
    several.reset()
    assert [env.unwrapped._env.public_params["money"] for env in several.envs] == [50.0, 60.0]  # type: ignore[attr-defined]
    compiled = BatchVecEnv(LearnerBatch("bargaining", 2, seat=0, opponent="fair"), seed=1)
    compiled.set_options([{"params": {"money": 50.0}}, {"params": {"money": 60.0}}])
    compiled.reset()
    compiled.reset()
    assert [compiled.games.batch.position(number)[0].money for number in range(2)] == [50.0, 60.0]
    for envs in (several, compiled):
        envs.set_options({"money": 5.0})
        with pytest.raises(ValueError, match="pass options="):
            envs.reset()


def test_torchrl_resets_with_the_same_options(interpreted: None) -> None:
    pytest.importorskip("torchrl")
    from econzoo.envs.core.vector import LearnerBatch
    from econzoo.train import BatchTorchEnv

    env = BatchTorchEnv(LearnerBatch("bargaining", 2, seat=0, opponent="fair"), seed=1)
    env.reset(options={"params": {"money": 50.0}})
    assert [env.games.batch.position(number)[0].money for number in range(2)] == [50.0, 50.0]
    with pytest.raises(ValueError, match="pass options="):
        env.reset(options={"money": 50.0})
