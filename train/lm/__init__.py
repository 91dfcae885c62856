"""Training of language models: SFT, DPO, expert iteration and GRPO over whole matches."""
