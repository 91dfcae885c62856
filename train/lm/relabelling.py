"""Relabelled moves of a seat and weights of its replies.

A student trained on a teacher's matches alone never sees the consequences of its own mistakes. So other behaviour
policies (scripts that explore, or the student) play, and the teacher relabels each of their moves (DAgger: Ross, Gordon
and Bagnell 2011, algorithm 3.1). Accept/reject decisions are weighted by their stake, from the game's solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from statistics import fmean
from typing import Any

from econzoo.baselines import player as make_player
from econzoo.envs.core.contract import Objective
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import EnvPool, Match, MatchTable, PlayerCache
from econzoo.train import outcome_of
from econzoo.wrappers import MatchLoop

__all__ = [
    "MIN_WEIGHT",
    "MAX_WEIGHT",
    "relabel_moves",
    "best_answer",
    "answer_margin",
    "reply_weights",
    "rollout_values",
    "offer_value",
]

MIN_WEIGHT, MAX_WEIGHT = 0.1, 4.0
"""Bounds of a decision's weight relative to that of one with a mean stake: none is left out, and none decides alone."""


def relabel_moves(record: Record, seat: int, teacher: str) -> list[Any]:
    """Return the teacher's move at each turn of a seat that has an action, given the observations so far."""
    asked = make_player(teacher, record.game)
    if asked.face != "structured":
        raise ValueError(f"invalid teacher={teacher!r}: expected a script or policy, which do not read text")
    seated = [asked if place == seat else None for place in range(len(record.players))]
    match = Match(record.game, record.params, record.options, tuple(record.players), record.seed)
    script = {"chance": record.chance, "rulings": record.rulings}
    faces = ("structured",) * len(seated)
    loop = MatchLoop(EnvPool().take(match, faces, script), seated, record.seed)
    return _replay_moves(loop, record, seat)


def _replay_moves(loop: MatchLoop, record: Record, seat: int) -> list[Any]:
    moves: list[Any] = []
    for turn in record.turns:
        if turn.action is None:
            continue
        if turn.seat == seat:
            assert loop.player is not None
            moves.append(loop.player.act(loop.observation, loop.info))
        loop.env.step(turn.action)  # the recorded move: the teacher advises in the states that others reach
        if not loop.env.over:
            loop.look()
    return moves


def rollout_values(
    record: Record,
    seat: int,
    teacher: str,
    objective: Objective,
    relabelled: Sequence[Any] = (),
    max_moves: int | None = None,
) -> list[dict[str, float]]:
    """Return the values of all kinds of answers, and of relabelled offers, if the teacher plays on from there.

    An answer is a move with several kinds, none with an amount: accept, reject. The other players play on, so that each
    answer is evaluated against the actual opponents (AggreVaTe: Ross and Bagnell 2014, algorithm 1,
    https://arxiv.org/abs/1406.5979).

    Args:
        relabelled: The teacher's `relabel_moves`; empty: only answers are evaluated.
        max_moves: Maximum moves of the seat, since each costs a replay of the match up to it; None: all.

    Returns:
        For each turn of the seat that has an action, in order, the value of every kind of answer, or of the relabelled
        offer, if any.
    """
    cast = PlayerCache(record.game)
    pool, others = EnvPool(), [teacher if place == seat else spec for place, spec in enumerate(record.players)]

    def table(moves: Sequence[Any]) -> MatchTable:
        match = Match(record.game, record.params, record.options, tuple(others), record.seed)
        return _play_moves(MatchTable(match, [cast(spec).fork() for spec in others], pool), moves)

    moves = [turn.action for turn in record.turns if turn.action is not None]
    seats = [turn.seat for turn in record.turns if turn.action is not None]
    found: list[dict[str, float]] = []
    ours = [number for number, one in enumerate(seats) if one == seat][:max_moves]
    for number, offer in zip_longest(ours, relabelled[:max_moves]):
        tries = [{"kind": kind} for kind in _answer_kinds(table(moves[:number]))] or [offer] * bool(offer)
        ends = {one["kind"]: _play_moves(table(moves[:number]), [one]).play() for one in tries}
        found.append({kind: _value(end, seat, objective) for kind, end in ends.items()})
    return found


def _value(end: Record, seat: int, objective: Objective) -> float:
    return objective(end.payoffs, outcome_of(end), seat) if end.has_result else math.nan


def best_answer(relabelled: Any, values: Mapping[str, float]) -> Any:
    """Return the answer of highest value; the relabelled move in ties and where there is no answer to give."""
    known = {kind: value for kind, value in values.items() if not math.isnan(value)}
    best = max(known, key=lambda kind: known[kind], default=None)
    return relabelled if best is None or known.get(relabelled["kind"]) == known[best] else {"kind": best}


def answer_margin(values: Mapping[str, float]) -> float | None:
    """Return the advantage of the best answer over the second best; None if there is no answer to give."""
    best = sorted((value for value in values.values() if not math.isnan(value)), reverse=True)
    return None if len(values) < 2 else best[0] - best[1] if len(best) > 1 else math.nan


def offer_value(values: Mapping[str, float]) -> float | None:
    """Return the value of an offer; None if it is not an offer or was not evaluated."""
    return next(iter(values.values())) if len(values) == 1 else None


def _play_moves(table: MatchTable, moves: Iterable[Any]) -> MatchTable:
    """Return the table after some more moves; its players are asked at each of them, so their memory is complete."""
    for move in moves:
        table.player.act(table.observation, table.info)
        table.answer(move)
    return table


def _answer_kinds(table: MatchTable) -> Sequence[str]:
    """Return the kinds of moves of the seat to act, if none has an amount or message."""
    schema, kinds = table.env.actions, table.observation["legal_actions"]
    plain = all(not schema.marks[schema.index[kind]] for kind in kinds)
    return kinds if plain and len(kinds) > 1 else ()


def reply_weights(
    stakes: Sequence[Sequence[float | None]], answers: float, offer_values: Sequence[Sequence[float | None]] = ()
) -> list[list[float]]:
    """Return reply weights: for answers by stake, for offers by value.

    Args:
        answers: Weight of an answer with a mean stake, and of one with an unknown stake.
        offer_values: Value of each offer of every match, None if unknown; empty: all unknown.

    Returns:
        One weight per move of every match: 1 for an offer of mean or unknown value. Others are between `MIN_WEIGHT` and
        `MAX_WEIGHT` times the mean.
    """
    known = offer_values or [[None] * len(match) for match in stakes]
    answer, offer = _scale(stakes), _scale(known)
    return [
        [offer(value) if stake is None else answers * answer(stake) for stake, value in zip(*match, strict=True)]
        for match in zip(stakes, known, strict=True)
    ]


def _scale(found: Sequence[Sequence[float | None]]) -> Callable[[float | None], float]:
    """Return a function from a value to its weight relative to the mean known value; 1 if unknown."""
    known = [abs(one) for match in found for one in match if one is not None and not math.isnan(one)]
    mean = fmean(known) if any(known) else 1.0

    def weight(one: float | None) -> float:
        return 1.0 if one is None or math.isnan(one) else min(max(abs(one) / mean, MIN_WEIGHT), MAX_WEIGHT)

    return weight
