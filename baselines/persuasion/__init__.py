"""Scripted players of persuasion, by name."""

PLAYERS = {}
