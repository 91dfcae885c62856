"""Batches of compiled games: all seats, or one learner's seat against opponents."""

from econzoo.envs.core.vector import GameBatch, LearnerBatch

__all__ = ["GameBatch", "LearnerBatch"]
