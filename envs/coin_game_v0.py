"""The Coin Game: two players collect coins of two colours on a small board (see `econzoo.envs.games.coin_game`)."""

from functools import partial

from econzoo.envs.making import make, make_parallel, make_raw

__all__ = ["env", "parallel_env", "raw_env"]

env = partial(make, "coin_game")
raw_env = partial(make_raw, "coin_game")
parallel_env = partial(make_parallel, "coin_game")
