"""Algorithms of `econzoo train ppo`, what each takes for arguments that are not given, and what is allowed."""

from __future__ import annotations

from typing import Any, NamedTuple

from econzoo.baselines.policy_files import BATCH, MOST_FREQUENCIES
from econzoo.envs.core.contract.parameters import Domain, Flag, OrNone, Real, Whole
from econzoo.envs.core.env.options import GRID_SIZES, PENALTIES

AUTO, COMPILED, SB3 = "auto", "compiled", "sb3"

ALGORITHM = {COMPILED: BATCH, SB3: "maskable", "sb3-unmasked": "ppo"}
"""Name of an algorithm to what policy files call it."""

AMOUNTS = ("ordinal", "classes")

MANY = 10**12


class Default(NamedTuple):
    """What an argument is if it is not given.

    Attributes:
        compiled: With ``compiled``.
        sb3: With the algorithms of Stable-Baselines3.
    """

    compiled: Any
    sb3: Any

    @property
    def told(self) -> str:
        """As a help text says it."""
        return f"{_said(self.compiled)}, or {_said(self.sb3)} with sb3"


def _said(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


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
"""Arguments whose defaults depend on the algorithm."""

UNSET: Any = None
"""In the place of such an argument that is not given."""

COMPILED_ONLY: dict[str, Any] = {"memory": "none", "amounts": "classes", "predict": 0.0, "fourier": 0, "track": []}
"""Arguments of which the algorithms of Stable-Baselines3 know no more than this value."""

LIBRARIES = {True: ("torch", "numba"), False: ("stable_baselines3", "sb3_contrib")}
"""What is needed to train on compiled games, or not on them."""

NO_RECIPE = ("seeds", "jobs", "dry_run")
"""Arguments that say how trainings are run and nothing about one of them."""

CHECKS: dict[str, Domain[Any]] = {
    "timesteps": Whole(1, MANY),
    "seed": Whole(0, MANY),
    "seeds": Whole(1, 1000),
    "jobs": OrNone(Whole(1, 256)),
    "grid": GRID_SIZES,
    "n_envs": Whole(1, 4096),
    "n_steps": Whole(1, MANY),
    "batch_size": Whole(2, MANY),
    "epochs": Whole(1, 1000),
    "history": Whole(0, 1000),
    "fourier": Whole(0, MOST_FREQUENCIES),
    "eval_every": Whole(0, MANY),
    "eval_episodes": Whole(2, 1_000_000),
    "checkpoint_every": Whole(0, MANY),
    "threads": Whole(1, 1024),
    "learning_rate": Real(0.0, 1.0, above=True),
    "gamma": Real(0.0, 1.0, above=True),
    "gae_lambda": Real(0.0, 1.0),
    "clip_range": Real(0.0, above=True),
    "entropy": Real(0.0),
    "predict": Real(0.0),
    "entropy_end": Real(0.0),
    "penalty": PENALTIES,
    "resume": Flag(),
    "dry_run": Flag(),
    "decay": Flag(),
}
"""What the arguments that one bound decides on may be."""
