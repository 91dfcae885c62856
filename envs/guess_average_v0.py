"""Guess a fraction of the average of all guesses, round after round (see `econzoo.envs.games.guess_average`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "guess_average")
raw_env = partial(make_raw, "guess_average")
parallel_env = partial(make_parallel, "guess_average")
