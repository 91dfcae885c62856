"""Who sits opposite a learner: pools of players, and the seats that they leave free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from econzoo.envs.core.registry import player

BOTH = "both"
"""As a seat: drawn anew for every episode, among all of them."""


Opponent: TypeAlias = Any
"""An `econzoo.baselines.player.Player`, or whatever has its `reset`, `act`, `fork`, `fits`, `face` and `spec`."""

Pool: TypeAlias = Opponent | str | Sequence[Opponent | str]


def seats_of(seat: int | str, count: int) -> tuple[int, ...]:
    """The seats that a learner may take; `seat` is one of them, or ``"both"`` for all.

    Raises:
        ValueError: There is no such seat.
    """
    if seat == BOTH:
        return tuple(range(count))
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < count:
        raise ValueError(f"seat={seat!r} is not allowed; allowed: 0 to {count - 1}, or 'both'")
    return (int(seat),)


def pools_of(
    opponents: Pool | Mapping[int, Pool], count: int, learner: tuple[int, ...], game_name: str
) -> dict[int, list[Opponent]]:
    """For every seat the players that can sit there, each with a fork of its own.

    Raises:
        ValueError: A seat has nobody, there is no such seat, a spec is unknown, or something is no player.
    """
    given: Mapping[int, Pool]
    given = opponents if isinstance(opponents, Mapping) else dict.fromkeys(range(count), opponents)
    needed = {i for i in range(count) if learner != (i,)}
    pools = {seat: _several(pool) for seat, pool in given.items()}
    known = all(isinstance(one, str) or callable(getattr(one, "fits", None)) for pool in pools.values() for one in pool)
    if not known or not needed <= set(pools) <= set(range(count)) or not all(pools.values()):
        allowed = f"one player or several, as objects or specs, for every seat of {sorted(needed)}"
        raise ValueError(f"opponents={opponents!r} is not allowed; allowed: {allowed}")
    made = {i: [player(one, game_name) if isinstance(one, str) else one for one in pools[i]] for i in sorted(pools)}
    return {i: [one.fork() for one in pool if one.fits(i)] for i, pool in made.items()}


def playable(
    seats: tuple[int, ...], pools: Mapping[int, Sequence[Opponent]], count: int, given: Any
) -> tuple[int, ...]:
    """The seats of the learner for which the pools fill all the others.

    Raises:
        ValueError: There are none.
    """
    found = tuple(s for s in seats if all(pools.get(i) for i in range(count) if i != s))
    if not found:
        wanted = f"players that can take the other seats where the learner has seat {' or '.join(map(str, seats))}"
        raise ValueError(f"opponents={given!r} is not allowed; allowed: {wanted}")
    return found


def _several(pool: Pool) -> list[Any]:
    return list(pool) if isinstance(pool, Sequence) and not isinstance(pool, str) else [pool]
