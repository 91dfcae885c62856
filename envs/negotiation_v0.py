"""Negotiation over the price of one good by alternating offers (see `econzoo.envs.games.negotiation`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "negotiation")
raw_env = partial(make_raw, "negotiation")
parallel_env = partial(make_parallel, "negotiation")
