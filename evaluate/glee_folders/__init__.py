"""GLEE's folders of games, `config.json` and `game.csv`: read, written, and made of records."""
