"""Survival games of ALYMPICS: health, feasible allocations, and metrics of K-level play."""
