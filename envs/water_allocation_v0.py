"""A daily auction of water among the residents of a dry town (see `econzoo.envs.games.water_allocation`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "water_allocation")
raw_env = partial(make_raw, "water_allocation")
parallel_env = partial(make_parallel, "water_allocation")
