"""What should have been done at each move of a seat, and how much each of its replies counts.

A student that learns from a teacher's matches alone never sees what follows its own mistakes. So others play, scripts
that explore or the student itself, and the teacher says at each of their moves what it would have done (DAgger: Ross,
Gordon and Bagnell 2011, algorithm 3.1). Answers weigh what is at stake in them, by the game's solution.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from statistics import fmean
from typing import Any

from econzoo.baselines.factory import player as make_player
from econzoo.baselines.learned_opponent import opponent_function
from econzoo.envs.core.contract.objectives import Objective
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import moves, params_of, public_text, solution_part
from econzoo.evaluate.run.match import PlayerCache
from econzoo.evaluate.run.table import EnvPool, Match, MatchTable
from econzoo.train.lm.reward import outcome_of
from econzoo.wrappers.seating import MatchLoop

__all__ = [
    "MIN_WEIGHT",
    "MAX_WEIGHT",
    "relabel_moves",
    "best_answer",
    "answer_margin",
    "reply_weights",
    "decision_stakes",
    "rollout_values",
    "offer_value",
]

MIN_WEIGHT, MAX_WEIGHT = 0.1, 4.0
"""Bounds of an answer's weight, as multiples of that of an answer with a mean stake."""

RANDOM_TEACHER = "random"
"""The player that draws uniformly among its moves."""


def relabel_moves(record: Record, seat: int, teacher: str) -> list[Any]:
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
    return _replay_moves(loop, record, seat)


def _replay_moves(loop: MatchLoop, record: Record, seat: int) -> list[Any]:
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


def rollout_values(
    record: Record,
    seat: int,
    teacher: str,
    objective: Objective,
    relabelled: Sequence[Any] = (),
    max_moves: int | None = None,
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
        relabelled: The teacher's `relabel_moves`; without it answers alone are tried.
        max_moves: Of how many of the seat's moves, as each takes as long as the match up to there; None: of all.

    Returns:
        For each turn of the seat that has an action, in order, the value of every kind; where it is no answer that of
        the kind that is advised, if any.
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
    """The answer that comes to most, or what is advised where that is as good or where there is no answer to give."""
    known = {kind: value for kind, value in values.items() if not math.isnan(value)}
    best = max(known, key=lambda kind: known[kind], default=None)
    return relabelled if best is None or known.get(relabelled["kind"]) == known[best] else {"kind": best}


def answer_margin(values: Mapping[str, float]) -> float | None:
    """By how much the best answer is better than the next one; None where there is no answer to give."""
    best = sorted((value for value in values.values() if not math.isnan(value)), reverse=True)
    return None if len(values) < 2 else best[0] - best[1] if len(best) > 1 else math.nan


def offer_value(values: Mapping[str, float]) -> float | None:
    """What an offer comes to; None where it is none, or was not tried."""
    return next(iter(values.values())) if len(values) == 1 else None


def _play_moves(table: MatchTable, moves: Iterable[Any]) -> MatchTable:
    """A table after some more moves; its players were asked at each of them, so that they know what they knew."""
    for move in moves:
        table.player.act(table.observation, table.info)
        table.answer(move)
    return table


def _answer_kinds(table: MatchTable) -> Sequence[str]:
    """The kinds of moves that the seat to act chooses from, if none has an amount or words."""
    schema, kinds = table.env.actions, table.observation["legal_actions"]
    plain = all(not schema.marks[schema.index[kind]] for kind in kinds)
    return kinds if plain and len(kinds) > 1 else ()


def decision_stakes(record: Record, seat: int) -> list[float | None]:
    """What accepting is worth more than rejecting, in parts of the stake of the game, at each move of a seat.

    The value of rejecting is that of the best response from there, told who the opponent is and all that any seat is
    told of the setting; see `econzoo.envs.families.offers.pool_response`.

    Args:
        record: A match.
        seat: Whose moves.

    Returns:
        One for each of its moves in order; None for what is no answer, NaN for an answer where the game's solution
        does not know it: in some games, and against opponents whose moves depend on more than the round.
    """
    game = find_game(record.game)
    solve = solution_part(game, "acceptance_stakes")
    played = moves(game, record)
    if solve is None:
        return [None for move in played if move[0] == seat]
    accept, reject = (game.actions.index[name] for name in ("accept", "reject"))
    ours = [number for number, move in enumerate(played) if move[0] == seat]
    answers = [number for number in ours if played[number][2] in (accept, reject)]
    offers = tuple((played[number][1], played[number - 1][3]) for number in answers)
    found = _stakes_of_offers(game.name, public_text(record.params), seat, record.players[1 - seat], offers)
    values = dict(zip(answers, found or [math.nan] * len(answers), strict=True))
    return [values.get(number) for number in ours]


@cache
def _stakes_of_offers(
    game_name: str, public: str, seat: int, spec: str, offers: tuple[tuple[int, float], ...]
) -> list[float] | None:
    game = find_game(game_name)
    solve = solution_part(game, "acceptance_stakes")
    opponent = None if spec == RANDOM_TEACHER else opponent_function(game, spec)
    forgets = spec == RANDOM_TEACHER or getattr(opponent, "memory", "") == "round"
    if solve is None or not forgets:
        return None
    params = params_of(game_name, public)
    try:
        return [float(value) for value in solve(params, seat, opponent, offers)]
    except ValueError:  # somebody who takes any amount where amounts have no limit
        return None


def reply_weights(
    stakes: Sequence[Sequence[float | None]], answers: float, offer_values: Sequence[Sequence[float | None]] = ()
) -> list[list[float]]:
    """Weights of replies: of an answer by what is at stake in it, of an offer by what it comes to.

    Args:
        stakes: `stakes` of every match.
        answers: Weight of an answer with a mean stake, and of one whose stake is not known.
        offer_values: Of every match what each offer comes to, None where that is not known; none given: nothing is.

    Returns:
        For every match one weight for each move: 1 for an offer with a mean worth and for one whose worth is not known.
        Others are between `MIN_WEIGHT` and `MAX_WEIGHT` times as heavy as the mean.
    """
    known = offer_values or [[None] * len(match) for match in stakes]
    answer, offer = _scale(stakes), _scale(known)
    return [
        [offer(value) if stake is None else answers * answer(stake) for stake, value in zip(*match, strict=True)]
        for match in zip(stakes, known, strict=True)
    ]


def _scale(found: Sequence[Sequence[float | None]]) -> Callable[[float | None], float]:
    """How heavy a value is beside the mean of those that are known; 1 where it is not known."""
    known = [abs(one) for match in found for one in match if one is not None and not math.isnan(one)]
    mean = fmean(known) if any(known) else 1.0

    def weight(one: float | None) -> float:
        return 1.0 if one is None or math.isnan(one) else min(max(abs(one) / mean, MIN_WEIGHT), MAX_WEIGHT)

    return weight
