"""Writes the files of a new game."""
