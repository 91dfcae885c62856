"""Guess a fraction of the average of all guesses, round after round (see `econzoo.envs.games.guess_average`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("guess_average")
