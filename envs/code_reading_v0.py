"""Reading programs (see `econzoo.envs.games.code_reading`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("code_reading")
