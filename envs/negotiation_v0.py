"""Negotiation over the price of one good by alternating offers (see `econzoo.envs.games.negotiation`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("negotiation")
