"""The open-source coin game (see `econzoo.envs.games.program_coin`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("program_coin")
