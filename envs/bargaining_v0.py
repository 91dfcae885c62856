"""Bargaining over a sum of money by alternating offers (see `econzoo.envs.games.bargaining`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "bargaining")
raw_env = partial(make_raw, "bargaining")
parallel_env = partial(make_parallel, "bargaining")
