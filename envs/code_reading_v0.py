"""Reading programs (see `econzoo.envs.games.code_reading`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("code_reading")
