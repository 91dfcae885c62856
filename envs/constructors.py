"""Create environments by game name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.registry import game

if TYPE_CHECKING:
    from econzoo.envs.core.env.aec import GameEnv
    from econzoo.envs.core.env.public import CheckedEnv, ParallelGameEnv
    from econzoo.envs.core.vector.gymnasium_env import VectorGameEnv

__all__ = ["make", "make_parallel", "make_raw", "make_vec", "make_constructors"]


def make(game_name: str, **kwargs: Any) -> CheckedEnv:
    """Create the AEC environment of a game; see `econzoo.envs.core.env.public.CheckedEnv`.

    Raises:
        ValueError: Unknown game or invalid value.
    """
    from econzoo.envs.core.env.public import CheckedEnv

    return CheckedEnv(game(game_name), **kwargs)


def make_raw(game_name: str, **kwargs: Any) -> GameEnv:
    """Create the AEC environment without the checks of the public layer."""
    from econzoo.envs.core.env.aec import GameEnv

    return GameEnv(game(game_name), **kwargs)


def make_parallel(game_name: str, **kwargs: Any) -> ParallelGameEnv:
    """Create the parallel environment of a game; see `econzoo.envs.core.env.public.ParallelGameEnv`."""
    from econzoo.envs.core.env.public import ParallelGameEnv

    return ParallelGameEnv(game(game_name), **kwargs)


def make_vec(game_name: str, num_envs: int = 1, **kwargs: Any) -> VectorGameEnv:
    """Create the compiled vector environment of a game; see `econzoo.envs.core.vector.gymnasium_env.VectorGameEnv`.

    Raises:
        CannotCompileError: The rules or their parameters cannot be compiled.
        ImportError: numba is not installed.
        ValueError: Unknown game or invalid value.
    """
    from econzoo.envs.core.vector.gymnasium_env import VectorGameEnv

    return VectorGameEnv(game_name, num_envs, **kwargs)


def make_constructors(
    game_name: str,
) -> tuple[Callable[..., CheckedEnv], Callable[..., GameEnv], Callable[..., ParallelGameEnv]]:
    """Return ``env``, ``raw_env`` and ``parallel_env`` for a PettingZoo module ``NAME_vN``."""
    return partial(make, game_name), partial(make_raw, game_name), partial(make_parallel, game_name)
