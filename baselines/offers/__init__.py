"""Shared code of the players of bargaining, negotiation and multi-issue bargaining."""
