"""Judgements: recorded players scored on a rubric by models and people, and how far the judges agree."""
