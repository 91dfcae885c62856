"""Summary of recorded matches: ranking, cross-play, theory; tables, figures and report."""
