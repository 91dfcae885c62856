"""Records as tidy tables with a codebook, for statistics programs."""
