"""Estimates and confidence intervals: pure functions of arrays."""
