"""The open-source iterated game of two moves (see `econzoo.envs.games.program_matrix`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("program_matrix")
