"""A daily auction of water among the residents of a dry town (see `econzoo.envs.games.water_allocation`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("water_allocation")
