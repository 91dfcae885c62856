"""Players: scripted ones for each game, language models, RL policies and people; `factory.player` makes them."""
