"""Alternating-offers games of two seats: one proposes an amount, the other accepts or rejects, in turns."""
