"""What the wrappers of this package can go around."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from econzoo.envs.core.contract.validation import short
from econzoo.envs.core.env.aec import GameEnv


def wrapped(env: Any) -> AECEnv:
    """The environment, if it is one of this package, itself wrapped or not.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(env, AECEnv) or not isinstance(env.unwrapped, GameEnv):
        raise ValueError(f"env={short(env)} is not allowed; allowed: an AEC environment of this package")
    return env
