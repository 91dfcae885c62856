"""SPARC as a benchmark: items, labels, answers."""
