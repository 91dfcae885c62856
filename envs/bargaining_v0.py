"""Bargaining over a sum of money by alternating offers (see `econzoo.envs.games.bargaining`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("bargaining")
