"""Opponents of a training: which seats they leave to the learner, and who has a compiled form."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.baselines.factory import fitting
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.vector.scripted import compiles
from econzoo.wrappers.opponents import BOTH


def not_compiled(game: str, specs: Sequence[str]) -> str:
    """What has no compiled form, the game or some of the players; empty if all have.

    Raises:
        ValueError: A spec is unknown.
    """
    if find_game(game).referee is not None:
        return f"{game} has no compiled form"
    without = [spec for spec in dict.fromkeys(specs) if not compiles(spec, game)]
    return f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no compiled form" if without else ""


def seats_left(game: str, specs: Sequence[str], learner: int | str, count: int) -> tuple[int, ...]:
    """The seats of a learner, among so many, for which players of a pool can fill all the others.

    Raises:
        ValueError: A spec is unknown, or there is no such seat.
    """
    able = [bool(fitting(game, specs, seat)) for seat in range(count)]
    if learner != BOTH and learner not in range(len(able)):
        raise ValueError(f"seat={learner!r} is not allowed; allowed: 0 to {len(able) - 1}, or {BOTH}")
    wanted = range(len(able)) if learner == BOTH else (int(learner),)
    return tuple(seat for seat in wanted if all(ok for other, ok in enumerate(able) if other != seat))


def taken(game: str, specs: Sequence[str], count: int) -> str:
    """``"the opponents take seat 1"``."""
    taken = [seat for seat in range(count) if fitting(game, specs, seat)]
    return f"the opponents take seat {either(taken)}"


def either(seats: Sequence[int]) -> str:
    """``"0 or 1"``."""
    return " or ".join(map(str, seats))
