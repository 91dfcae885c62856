"""Metrics of water allocation: gains as the reward counts them, and how evenly lives were spread.

Efficiency is the mean gain of all residents: 1 if everybody lives to the end (in full health, where health counts).
Fairness is Jain's index of the days lived, (sum x)^2 / (n sum x^2): 1 if all lived equally long, 1/n if only one
lived for a day (Jain, Chiu and Hawe 1984); 1 where nobody lived for a day. The paper's own indicators, for which a
whole match or several are needed, are in `econzoo.envs.games.water_allocation.indicators`.
"""

from __future__ import annotations

from econzoo.envs.families.survival.metrics import DEFINITIONS, outcome

__all__ = ["DEFINITIONS", "outcome"]
