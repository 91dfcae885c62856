"""Create environments by game name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from econzoo.envs.core import game

if TYPE_CHECKING:
    from econzoo.envs.core.env import GameEnv, ParallelGameEnv
    from econzoo.envs.core.vector import VectorGameEnv

__all__ = ["make", "make_parallel", "make_raw", "make_vec", "make_constructors"]


def make(game_name: str, **kwargs: Any) -> GameEnv:
    """Create the AEC environment of a game; see `econzoo.envs.core.env.aec.GameEnv`.

    Raises:
        ValueError: Unknown game or invalid value.
    """
    from econzoo.envs.core.env import GameEnv

    return GameEnv(game(game_name), "aec", **kwargs)


def make_raw(game_name: str, **kwargs: Any) -> GameEnv:
    """Create the AEC environment without checks of actions (``api="raw"``)."""
    from econzoo.envs.core.env import GameEnv

    return GameEnv(game(game_name), **kwargs)


def make_parallel(game_name: str, **kwargs: Any) -> ParallelGameEnv:
    """Create the parallel environment of a game; see `econzoo.envs.core.env.parallel.ParallelGameEnv`."""
    from econzoo.envs.core.env import ParallelGameEnv

    return ParallelGameEnv(game(game_name), **kwargs)


def make_vec(game_name: str, num_envs: int = 1, **kwargs: Any) -> VectorGameEnv:
    """Create the compiled vector environment of a game; see `econzoo.envs.core.vector.gymnasium_env.VectorGameEnv`.

    Raises:
        CannotCompileError: The rules or their parameters cannot be compiled.
        ImportError: numba is not installed.
        ValueError: Unknown game or invalid value.
    """
    from econzoo.envs.core.vector import VectorGameEnv

    return VectorGameEnv(game_name, num_envs, **kwargs)


def make_constructors(
    game_name: str,
) -> tuple[Callable[..., GameEnv], Callable[..., GameEnv], Callable[..., ParallelGameEnv]]:
    """Return ``env``, ``raw_env`` and ``parallel_env`` for a PettingZoo module ``NAME_vN``."""
    return partial(make, game_name), partial(make_raw, game_name), partial(make_parallel, game_name)
