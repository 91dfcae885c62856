"""Games in other libraries' frames: a module for each library, none for a game."""
