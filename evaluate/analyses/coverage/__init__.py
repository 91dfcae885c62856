"""How often 95% intervals cover what they estimate: simulated samples of which the truth is known."""
