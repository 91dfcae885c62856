"""Bargaining over a sum of money by alternating offers (see `econzoo.envs.games.bargaining`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("bargaining")
