"""Generic environment: turns, options, chance, visibility, termination."""
