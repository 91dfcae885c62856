"""Published sets of settings, opponents and seeds."""
