"""Open-source games: programs that players submit, the sandbox that runs them, and a library of programs."""
