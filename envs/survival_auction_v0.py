"""A daily auction of water for one among equals (see `econzoo.envs.games.survival_auction`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("survival_auction")
