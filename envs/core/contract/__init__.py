"""Contract of a game: moves, rules, parameters, events, chance, objectives."""
