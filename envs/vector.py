"""Batches of compiled games, for all seats or one learner against opponents."""

from econzoo.envs.core.vector import GameBatch, LearnerBatch

__all__ = ["GameBatch", "LearnerBatch"]
