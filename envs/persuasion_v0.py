"""Repeated persuasion of a buyer about products of hidden quality (see `econzoo.envs.games.persuasion`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("persuasion")
