"""Gains of trained policies over training seeds, compared with scripts and the ceiling in the same matches."""
