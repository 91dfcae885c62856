"""Coverage of 95% intervals in simulations with known truth."""
