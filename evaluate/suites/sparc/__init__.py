"""The SPARC benchmark: items, labels, answers."""
