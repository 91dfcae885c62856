"""Commands that play, show, analyze and convert."""
