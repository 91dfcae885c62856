"""A daily auction of water among the residents of a dry town (see `econzoo.envs.games.water_allocation`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("water_allocation")
