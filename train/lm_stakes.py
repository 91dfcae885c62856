"""How much each reply of a seat counts: answers by what is at stake in them, by the game's solution."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from statistics import fmean

from econzoo.baselines.learned_opponent import known_opponent
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import moves, params_of, public_text, solution_part

__all__ = ["LEAST", "MOST", "reply_weights", "stakes"]

LEAST, MOST = 0.1, 4.0
"""Bounds of an answer's weight, as multiples of that of an answer with a mean stake."""

DRAWS = "random"
"""The player that draws uniformly among its moves."""


def stakes(record: Record, seat: int) -> list[float | None]:
    """What accepting is worth more than rejecting, in parts of the stake of the game, at each move of a seat.

    The value of rejecting is that of the best response from there, told who the opponent is and all that any seat is
    told of the market; see `econzoo.envs.families.offers.pool_response`.

    Args:
        record: A match.
        seat: Whose moves.

    Returns:
        One for each of its moves in order; None for what is no answer, NaN for an answer where the game's solution
        does not know it: in some games, and against opponents whose moves depend on more than the round.
    """
    game = find_game(record.game)
    solve = solution_part(game, "at_stake")
    played = moves(game, record)
    if solve is None:
        return [None for move in played if move[0] == seat]
    accept, reject = (game.actions.index[name] for name in ("accept", "reject"))
    ours = [number for number, move in enumerate(played) if move[0] == seat]
    answers = [number for number in ours if played[number][2] in (accept, reject)]
    offers = tuple((played[number][1], played[number - 1][3]) for number in answers)
    found = _at_stake(game.name, public_text(record.params), seat, record.players[1 - seat], offers)
    values = dict(zip(answers, found or [math.nan] * len(answers), strict=True))
    return [values.get(number) for number in ours]


@cache
def _at_stake(
    game_name: str, public: str, seat: int, spec: str, offers: tuple[tuple[int, float], ...]
) -> list[float] | None:
    game = find_game(game_name)
    solve, opponent = solution_part(game, "at_stake"), None if spec == DRAWS else known_opponent(game, spec)
    forgets = spec == DRAWS or getattr(opponent, "memory", "") == "round"
    if solve is None or not forgets:
        return None
    params = params_of(game_name, public)
    try:
        return [float(value) for value in solve(params, seat, opponent, offers)]
    except ValueError:  # somebody who takes any amount where amounts have no limit
        return None


def reply_weights(
    found: Sequence[Sequence[float | None]], answers: float, worth: Sequence[Sequence[float | None]] = ()
) -> list[list[float]]:
    """Weights of replies: of an answer by what is at stake in it, of an offer by what it comes to.

    Args:
        found: `stakes` of every match.
        answers: Weight of an answer with a mean stake, and of one whose stake is not known.
        worth: Of every match what each offer comes to, None where that is not known; none given: nothing is.

    Returns:
        For every match one weight for each move: 1 for an offer with a mean worth and for one whose worth is not known.
        Others are between `LEAST` and `MOST` times as heavy as the mean.
    """
    known = worth or [[None] * len(match) for match in found]
    answer, offer = _scale(found), _scale(known)
    return [
        [offer(value) if stake is None else answers * answer(stake) for stake, value in zip(*match, strict=True)]
        for match in zip(found, known, strict=True)
    ]


def _scale(found: Sequence[Sequence[float | None]]) -> Callable[[float | None], float]:
    """How heavy a value is beside the mean of those that are known; 1 where it is not known."""
    known = [abs(one) for match in found for one in match if one is not None and not math.isnan(one)]
    mean = fmean(known) if any(known) else 1.0

    def weight(one: float | None) -> float:
        return 1.0 if one is None or math.isnan(one) else min(max(abs(one) / mean, LEAST), MOST)

    return weight
