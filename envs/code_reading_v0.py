"""Reading programs (see `econzoo.envs.games.code_reading`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "code_reading")
raw_env = partial(make_raw, "code_reading")
parallel_env = partial(make_parallel, "code_reading")
