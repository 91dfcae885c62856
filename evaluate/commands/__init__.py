"""The commands that play, show, analyze and convert."""
