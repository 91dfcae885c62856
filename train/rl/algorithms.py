"""Algorithms of `econzoo train ppo`: defaults, and options that one of them lacks."""

from __future__ import annotations

from typing import Any, NamedTuple

AUTO = "auto"
"""The algorithm that an option stands for: compiled where possible."""


class Default(NamedTuple):
    """Default of an option.

    Attributes:
        sb3: With Stable-Baselines3.
    """

    compiled: Any
    sb3: Any

    @property
    def help_text(self) -> str:
        return "{}, or {} with sb3".format(*(f"{one:,}" if isinstance(one, int) else one for one in self))


DEFAULTS = {
    "timesteps": Default(1_000_000, 120_000),
    "n_envs": Default(512, 16),
    "n_steps": Default(32, 128),
    "batch_size": Default(2048, 512),
    "epochs": Default(2, 10),
    "gae_lambda": Default(1.0, 0.95),
    "eval_every": Default(100_000, 20_000),
    "checkpoint_every": Default(250_000, 50_000),
    "memory": Default("history", "none"),
    "amounts": Default("ordinal", "classes"),
    "fourier": Default(4, 0),
}
"""Options whose defaults depend on the algorithm."""

SHORT_DEFAULTS: dict[str, Any] = {"n_envs": 256, "n_steps": 16, "batch_size": 512, "lr": 2e-3}
"""For short trainings: a quarter of the usual moves per update, hence more updates, with larger steps."""

COMPILED_ONLY: dict[str, Any] = {
    "memory": "none",
    "amounts": "classes",
    "predict": 0.0,
    "fourier": 0,
    "magnet": 0.0,
    "track": [],
    "exploitability": False,
}
"""Options that Stable-Baselines3 supports with this value only."""
