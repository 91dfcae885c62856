"""How players behave: anchoring, concessions, agreement, honesty, trust, and what words are worth."""
