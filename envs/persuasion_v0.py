"""Repeated persuasion of a buyer about products of hidden quality (see `econzoo.envs.games.persuasion`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "persuasion")
raw_env = partial(make_raw, "persuasion")
parallel_env = partial(make_parallel, "persuasion")
