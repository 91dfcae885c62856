"""Repeated persuasion of a buyer about products of hidden quality (see `econzoo.envs.games.persuasion`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("persuasion")
