"""Judgements: scores of recorded players by models and people on a rubric, and inter-judge agreement."""
