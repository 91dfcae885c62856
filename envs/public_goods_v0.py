"""Public goods with punishment (see `econzoo.envs.games.public_goods`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("public_goods")
