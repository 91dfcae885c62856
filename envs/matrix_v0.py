"""Games of two moves for two players, once or again and again (see `econzoo.envs.games.matrix`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "matrix")
raw_env = partial(make_raw, "matrix")
parallel_env = partial(make_parallel, "matrix")
