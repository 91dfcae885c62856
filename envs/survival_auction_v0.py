"""A daily auction of water for one among equals (see `econzoo.envs.games.survival_auction`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("survival_auction")
