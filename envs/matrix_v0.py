"""Games of two moves for two players, once or again and again (see `econzoo.envs.games.matrix`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("matrix")
