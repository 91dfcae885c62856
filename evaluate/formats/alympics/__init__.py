"""ALYMPICS' published games, read and checked."""
