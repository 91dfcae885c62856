"""SPARC: will this program cooperate? Labels, answers, scores and the command of the benchmark."""
