"""Training of networks by reinforcement learning: PPO, in seats of compiled games or of any."""
