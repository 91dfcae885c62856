"""Prediction of the next decision of recorded players: base rates, theory, regressions and language models."""
