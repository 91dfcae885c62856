"""The Coin Game: two players collect coins of two colours on a small board (see `econzoo.envs.games.coin_game`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("coin_game")
