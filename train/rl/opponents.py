"""Opponents of the learner in training by name: players with specs, and the learner itself; and their seats."""

from __future__ import annotations

from collections.abc import Sequence

from econzoo.baselines import filter_by_seat
from econzoo.envs.core import game as find_game
from econzoo.envs.core.vector import can_compile
from econzoo.wrappers import BOTH

SELF, PAST, LEAGUE = "self", "past", "league"
LEARNERS = (SELF, PAST, LEAGUE)
"""Special opponents: the present network, snapshots of it, and a league of best responses
(`econzoo.train.rl.league`)."""

NASH, PFSP, UNIFORM = "nash", "pfsp", "uniform"
STRATEGIES = (NASH, PFSP, UNIFORM)
"""Meta-strategies: a symmetric Nash equilibrium of the meta-game; more weight on members against whom the last one
earns a small share (prioritised fictitious self-play, Vinyals et al. 2019); uniform."""


def describe_uncompiled(game: str, specs: Sequence[str]) -> str:
    """Describe what does not compile, the game or some players; empty if all compile."""
    if find_game(game).referee is not None:
        return f"{game} has no compiled form"
    without = [spec for spec in dict.fromkeys(specs) if not can_compile(spec, game)]
    return f"{', '.join(without)} {'has' if len(without) == 1 else 'have'} no compiled form" if without else ""


def open_seats(game: str, specs: Sequence[str], learner: int | str, count: int) -> tuple[int, ...]:
    """Return the learner's seats for which players of a pool can fill all the others."""
    able = [seat in opponent_seats(game, specs, count) for seat in range(count)]
    if learner != BOTH and learner not in range(len(able)):
        raise ValueError(f"invalid seats={learner!r}: expected 0 to {len(able) - 1}, or {BOTH}")
    wanted = range(len(able)) if learner == BOTH else (int(learner),)
    return tuple(seat for seat in wanted if all(ok for other, ok in enumerate(able) if other != seat))


def describe_taken_seats(game: str, specs: Sequence[str], count: int) -> str:
    """Return ``"the opponents take seat 1"``."""
    return f"the opponents take seat {join_with_or(opponent_seats(game, specs, count))}"


def opponent_seats(game: str, specs: Sequence[str], count: int) -> list[int]:
    """Return the seats that some player of a pool can take; the learner itself can take all."""
    named = [spec for spec in specs if spec not in LEARNERS]
    return [seat for seat in range(count) if len(named) < len(specs) or filter_by_seat(game, named, seat)]


def join_with_or(seats: Sequence[int]) -> str:
    """Return ``"0 or 1"``."""
    return " or ".join(map(str, seats))
