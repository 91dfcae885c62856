"""A sealed-bid double auction with private values, after talk in private (see `econzoo.envs.games.double_auction`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("double_auction")
