"""The open-source iterated game of two moves (see `econzoo.envs.games.program_matrix`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "program_matrix")
raw_env = partial(make_raw, "program_matrix")
parallel_env = partial(make_parallel, "program_matrix")
