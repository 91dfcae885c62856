"""A training that takes a second, as a recipe and as the words of its command."""

from __future__ import annotations

from typing import Any

SMALL: dict[str, Any] = {
    "opponents": ["linear"],
    "n_envs": 32,
    "n_steps": 8,
    "batch_size": 64,
    "epochs": 1,
    "net": [8],
    "timesteps": 512,
    "eval_every": 0,
    "eval_episodes": 2,
    "checkpoint_every": 256,
}
WORDS = [f"--{name.replace('_', '-')}={value}" for name, value in {**SMALL, "opponents": "linear", "net": 8}.items()]
