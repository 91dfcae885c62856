"""The trust game, a game for EconZoo."""
