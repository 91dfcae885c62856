"""Code shared by families of games."""
