"""Import and verification of ALYMPICS' published games."""
