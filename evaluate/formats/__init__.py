"""Import and export of games in other formats."""
