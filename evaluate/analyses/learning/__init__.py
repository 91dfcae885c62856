"""What trained policies earn over training seeds, beside all scripts and the ceiling, in the same matches."""
