"""Multi-issue bargaining over items of several kinds (see `econzoo.envs.games.multi_issue`)."""

from econzoo.envs.constructors import make_constructors

__all__ = ["env", "parallel_env", "raw_env"]

env, raw_env, parallel_env = make_constructors("multi_issue")
