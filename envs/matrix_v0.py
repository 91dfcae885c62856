"""Games of two moves for two players, once or again and again (see `econzoo.envs.games.matrix`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("matrix")
