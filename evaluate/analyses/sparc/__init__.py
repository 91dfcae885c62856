"""SPARC, predicting whether a program cooperates: labels, answers and scores."""
