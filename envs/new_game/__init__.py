"""Creation of new games from templates."""
