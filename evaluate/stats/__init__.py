"""Estimates and intervals: pure functions of numbers."""
