"""The open-source coin game (see `econzoo.envs.games.program_coin`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "program_coin")
raw_env = partial(make_raw, "program_coin")
parallel_env = partial(make_parallel, "program_coin")
