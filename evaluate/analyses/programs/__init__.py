"""Measures of submitted programs and of their play."""
