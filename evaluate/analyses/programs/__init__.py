"""Measures of programs that play, and of their play."""
