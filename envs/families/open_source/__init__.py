"""Programs as players: sources that agents write, the sandbox that runs them, and a library of written ones."""
