"""What a game declares: its moves, rules, parameters, events, chance and metrics."""
