"""Reading programs (see `econzoo.envs.games.code_reading`)."""

from functools import partial

from econzoo.envs.core.registry import make, make_parallel, make_raw

env = partial(make, "code_reading")
raw_env = partial(make_raw, "code_reading")
parallel_env = partial(make_parallel, "code_reading")
