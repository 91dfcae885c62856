"""The benchmark ``standard``: all main games, with fixed settings, opponents and seeds, and one score."""
