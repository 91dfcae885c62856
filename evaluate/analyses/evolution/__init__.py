"""Evolutionary dynamics of players: payoff matrices, the replicator equation, Moran processes, stability."""
