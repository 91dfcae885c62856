"""Scripted players of negotiation, by name."""

PLAYERS = {}
