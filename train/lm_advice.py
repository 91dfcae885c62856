"""What a teacher would have done in matches of others: labels for positions that its own play does not lead to.

A student that learns from a teacher's matches alone never sees what follows its own mistakes. So others play, scripts
that explore or the student itself, and the teacher says at each of their moves what it would have done (DAgger: Ross,
Gordon and Bagnell 2011, algorithm 3.1).
"""

from __future__ import annotations

from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.table import EnvPool, Match
from econzoo.wrappers.seating import MatchLoop

__all__ = ["advice"]


def advice(record: Record, seat: int, teacher: str) -> list[Any]:
    """What a teacher would have done at each move of a seat, had it been there from the beginning.

    Args:
        record: A match of any players.
        seat: Whose moves.
        teacher: Spec of a player that reads structured observations: a script, or a policy.

    Returns:
        A structured move for each turn of the seat that has an action, in order.

    Raises:
        ValueError: The teacher reads text, or is no player of the game.
    """
    asked = make_player(teacher, record.game)
    if asked.face != "structured":
        raise ValueError(f"teacher={teacher!r} is not allowed: it reads text; allowed: scripts and policies")
    seated = [asked if place == seat else None for place in range(len(record.players))]
    match = Match(record.game, record.params, record.options, tuple(record.players), record.seed)
    script = {"chance": record.chance, "rulings": record.rulings}
    faces = ("structured",) * len(seated)
    loop = MatchLoop(EnvPool().take(match, faces, script), seated, record.seed)
    return _said(loop, record, seat)


def _said(loop: MatchLoop, record: Record, seat: int) -> list[Any]:
    said: list[Any] = []
    for turn in record.turns:
        if turn.action is None:
            continue
        if turn.seat == seat:
            assert loop.player is not None
            said.append(loop.player.act(loop.observation, loop.info))
        loop.env.step(turn.action)
        if not loop.env.over:
            loop.look()
    return said
