"""Experiments of ALYMPICS and of the K-level paper: days of a match, indicators, published games."""
