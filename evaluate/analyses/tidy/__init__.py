"""Records as tidy tables with a codebook, for statistical software."""
