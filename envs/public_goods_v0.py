"""Public goods with punishment (see `econzoo.envs.games.public_goods`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("public_goods")
