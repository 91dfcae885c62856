"""One readable script for each way to learn: PPO for RL agents, SFT, DPO and GRPO for language models."""
