"""The next decision of recorded players, predicted by base rates, theory, regressions and language models."""
