"""What a teacher would have done in matches of others: labels for positions that its own play does not lead to.

A student that learns from a teacher's matches alone never sees what follows its own mistakes. So others play, scripts
that explore or the student itself, and the teacher says at each of their moves what it would have done (DAgger: Ross,
Gordon and Bagnell 2011, algorithm 3.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.match import Cast
from econzoo.evaluate.run.table import EnvPool, Match, Table
from econzoo.train.lm.reward import outcome_of
from econzoo.wrappers.seating import MatchLoop

__all__ = ["advice", "best_of", "lead_of", "try_moves", "worth_of"]


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


def try_moves(
    record: Record,
    seat: int,
    teacher: str,
    objective: Objective,
    advised: Sequence[Any] = (),
    most: int | None = None,
) -> list[dict[str, float]]:
    """What each answer, and each advised offer, would have come to if the teacher had played on from there.

    An answer is a move of which there are several kinds, none with an amount: accept, reject. The others play on too,
    as they would have; so each answer is judged against who really sat there (AggreVaTe: Ross and Bagnell 2014,
    algorithm 1, https://arxiv.org/abs/1406.5979).

    Args:
        record: A match of any players.
        seat: Whose answers.
        teacher: Spec of a player that reads structured observations.
        objective: What counts.
        advised: The teacher's `advice`; without it answers alone are tried.
        most: Of how many of the seat's moves, as each takes as long as the match up to there; None: of all.

    Returns:
        For each turn of the seat that has an action, in order, the value of every kind; where it is no answer that of
        the kind that is advised, if any.
    """
    cast = Cast(record.game)
    pool, others = EnvPool(), [teacher if place == seat else spec for place, spec in enumerate(record.players)]

    def table(moves: Sequence[Any]) -> Table:
        match = Match(record.game, record.params, record.options, tuple(others), record.seed)
        return _taken_up(Table(match, [cast(spec).fork() for spec in others], pool), moves)

    moves = [turn.action for turn in record.turns if turn.action is not None]
    seats = [turn.seat for turn in record.turns if turn.action is not None]
    found: list[dict[str, float]] = []
    ours = [number for number, one in enumerate(seats) if one == seat][:most]
    for number, offer in zip_longest(ours, advised[:most]):
        tries = [{"kind": kind} for kind in _answers(table(moves[:number]))] or [offer] * bool(offer)
        ends = {one["kind"]: _taken_up(table(moves[:number]), [one]).played() for one in tries}
        found.append({kind: _value(end, seat, objective) for kind, end in ends.items()})
    return found


def _value(end: Record, seat: int, objective: Objective) -> float:
    return objective(end.payoffs, outcome_of(end), seat) if end.has_result else math.nan


def best_of(advised: Any, values: Mapping[str, float]) -> Any:
    """The answer that comes to most, or what is advised where that is as good or where there is no answer to give."""
    known = {kind: value for kind, value in values.items() if not math.isnan(value)}
    best = max(known, key=lambda kind: known[kind], default=None)
    return advised if best is None or known.get(advised["kind"]) == known[best] else {"kind": best}


def lead_of(values: Mapping[str, float]) -> float | None:
    """By how much the best answer is better than the next one; None where there is no answer to give."""
    best = sorted((value for value in values.values() if not math.isnan(value)), reverse=True)
    return None if len(values) < 2 else best[0] - best[1] if len(best) > 1 else math.nan


def worth_of(values: Mapping[str, float]) -> float | None:
    """What an offer comes to; None where it is none, or was not tried."""
    return next(iter(values.values())) if len(values) == 1 else None


def _taken_up(table: Table, moves: Iterable[Any]) -> Table:
    """A table after some more moves; its players were asked at each of them, so that they know what they knew."""
    for move in moves:
        table.player.act(table.observation, table.info)
        table.answer(move)
    return table


def _answers(table: Table) -> Sequence[str]:
    """The kinds of moves that the seat to act chooses from, if none has an amount or words."""
    schema, kinds = table.env.actions, table.observation["legal_actions"]
    plain = all(not schema.marks[schema.index[kind]] for kind in kinds)
    return kinds if plain and len(kinds) > 1 else ()
