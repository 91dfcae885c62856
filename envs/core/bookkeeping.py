"""What an environment tells its record: what became of an answer, and how the match ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core.record import Record, Turn, defined

if TYPE_CHECKING:
    from econzoo.envs.core.aec import GameEnv


class Counts(NamedTuple):
    """What an answer can change.

    Attributes:
        events: Moves made so far.
        errors: Unusable answers of each seat.
        defaults: Default actions of each seat.
        pending: Seats whose simultaneous move waits for the others.
    """

    events: int
    errors: tuple[int, ...]
    defaults: tuple[int, ...]
    pending: frozenset[int]


_NOBODY: frozenset[int] = frozenset()


def counts(env: GameEnv) -> Counts:
    """The counts as they are now; take them before an answer is played."""
    return Counts(len(env.events), tuple(env.errors), tuple(env.defaults), frozenset(env.pending) or _NOBODY)


def judge(turn: Turn, env: GameEnv, before: Counts) -> None:
    """Writes into a turn what became of its answer: the move that was played, the error, the default action.

    Args:
        turn: The turn of the seat that answered.
        env: The environment after the answer.
        before: Its counts before the answer.
    """
    seat = turn.seat
    turn.default = env.defaults[seat] > before.defaults[seat]
    if env.errors[seat] > before.errors[seat] and env.last_error is not None:
        turn.error = list(env.last_error)
    played = _played(env, seat, before)
    turn.action = None if played is None else env.game.actions.plain(played)


def _played(env: GameEnv, seat: int, before: Counts) -> Any:
    """The move that the seat has just chosen, or None."""
    for event in env.events[before.events :]:
        if event.seat == seat and event.action is not None:
            return env.chosen.get(seat, event.action)
    return env.pending[seat] if seat in env.pending and seat not in before.pending else None


def conclude(record: Record, env: GameEnv) -> None:
    """Writes the result into a record, or how things stand; that a player left or paused it is in it already."""
    outcome = env.outcome()
    record.chance, record.payoffs = list(env.chance_draws), list(env.payoffs)
    record.rulings = list(env.rulings) if env.game.referee else None
    record.metrics = {
        "gains": [defined(gain) for gain in outcome.gains],
        "efficiency": defined(outcome.efficiency),
        "fairness": defined(outcome.fairness),
        "agreed": bool(outcome.agreed),
    }
    if record.status not in ("abandoned", "paused"):
        record.forfeit, record.status = env.forfeited, status_of(env)
    record.errors, record.defaults = list(env.errors), list(env.defaults)


def status_of(env: GameEnv) -> str:
    """How a match ended that nobody left: ``"forfeited"``, ``"truncated"`` or ``"finished"``."""
    if env.forfeited is not None:
        return "forfeited"
    return "truncated" if any(env.truncations.values()) else "finished"
