"""The open-source iterated game of two moves (see `econzoo.envs.games.program_matrix`)."""

from econzoo.envs.making import makers

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = makers("program_matrix")
