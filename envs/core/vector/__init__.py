"""Thousands of games in one step: rules compiled with Numba, as arrays and as a Gymnasium vector environment."""

from econzoo.envs.core.vector.batch import GameBatch

__all__ = ["GameBatch"]
