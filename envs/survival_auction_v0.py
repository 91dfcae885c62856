"""A daily auction of water for one among equals (see `econzoo.envs.games.survival_auction`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "survival_auction")
raw_env = partial(make_raw, "survival_auction")
parallel_env = partial(make_parallel, "survival_auction")
