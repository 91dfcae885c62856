"""Tournaments of the classic strategies of repeated 2x2 games, as fast as they can be played."""

from __future__ import annotations

from econzoo.evaluate.analyses.dilemmas.round_robin import RoundRobin, round_robin

__all__ = ["RoundRobin", "round_robin"]
