"""A sealed-bid double auction with private values, after talk in private (see `econzoo.envs.games.double_auction`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("double_auction")
