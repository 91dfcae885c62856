"""The environment of any game: turns, options, chance, who sees what, and how it ends."""
