"""Tiny games with nothing of bargaining in them, each a folder as `docs/adding_a_game.md` asks for."""
