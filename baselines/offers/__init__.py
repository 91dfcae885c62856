"""Haggling: what the players of bargaining, negotiation and multi-issue bargaining share."""
