"""Compiled rules (Numba) for batches of games, as arrays and as a Gymnasium vector environment."""

from econzoo.envs.core.vector.batch import GameBatch
from econzoo.envs.core.vector.learner_batch import LearnerBatch

__all__ = ["GameBatch", "LearnerBatch"]
