"""Regret: best-response value minus payoff, against an opponent whose behaviour is known.

It is defined for games whose solution has ``best_response(params, seat, opponent, *, memory, grid, width)`` (with a
``value`` and an ``exact``) and whose scripted players have ``as_opponent(spec)`` (`econzoo.baselines.NAME`; with a
``memory``), and only against deterministic functions of observations: scripts, and trained policies that play their
likeliest action (``ppo:FILE``), for which it measures exploitability. If the search is not exact, its value and the
regret are lower bounds (see the game's ``best_response``). The best response has full information: it knows the
opponent and all parameters of the match, disclosed or not.

In a game with chance moves it is defined if the solution has ``script_regret(params, seat, script, payoff)`` (see
`econzoo.envs.games.persuasion.best_response`): in gains, against scripts only, in expectation over chance.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from econzoo.baselines import opponent_function, player, scripted_name, scripted_players
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Game, Script
from econzoo.envs.core.record import Record, split_name
from econzoo.evaluate.analyses.solutions import DRAWS, params_of, public_text, solution_part
from econzoo.evaluate.stats import Columns

SECONDS = 60.0
"""Time limit of `add_regret` in seconds; a search that has begun is finished."""

SEARCH = {"grid": 21, "width": 20}
"""Search parameters against an opponent that remembers more than the round."""

REGRET, EXACT = "regret", "regret_exact"


class Question(NamedTuple):
    """All that a best response depends on."""

    public: str
    seat: int
    opponent: str


def add_regret(table: Columns, records: list[Record], seconds: float = SECONDS) -> int:
    """Add the columns ``regret`` (in units of ``unit``; NaN if undefined) and ``regret_exact`` (1 or 0) to a table.

    Args:
        records: Records of the table, in its order.
        seconds: See `SECONDS`; the quick searches come first.

    Returns:
        Number of seats against opponents with known behaviour that were left out for lack of time.
    """
    questions = _row_questions(table, records)
    game = find_game(records[0].game)
    if solution_part(game, "script_regret") is not None:
        table[REGRET], left_out = script_regrets(game, questions, table["payoff"], seconds)
        table[EXACT] = [math.nan if math.isnan(regret) else 1.0 for regret in table[REGRET]]
        return left_out
    answers = best_values(game, set(questions), seconds)
    values = [answers.get(question, (math.nan, math.nan)) for question in questions]
    table[REGRET] = (np.array([value for value, _ in values]) - table["payoff"]) / table["unit"]
    table[EXACT] = [exact for _, exact in values]
    return sum(question not in answers for question in questions)


def _row_questions(table: Columns, records: Sequence[Record]) -> list[Question]:
    """The question of every row; equal ones share one object."""
    players = {label: spec for one in records for label, spec in zip(one.labels, one.players, strict=True)}
    specs = {label: split_name(spec).spec for label, spec in players.items()}
    publics = chain.from_iterable(repeat(public_text(one.params), len(one.players)) for one in records)
    rows = zip(publics, table["seat"], table["opponent"], strict=True)
    known: dict[Question, Question] = {}
    questions = (Question(public, seat, specs.get(other, other)) for public, seat, other in rows)
    return [known.setdefault(question, question) for question in questions]


def best_values(game: Game, questions: set[Question], seconds: float) -> dict[Question, tuple[float, float]]:
    """Compute best-response values and whether they are exact; (NaN, NaN) if undefined."""
    search = solution_part(game, "best_response")
    opponents = {name: opponent_function(game, name) for name in {question.opponent for question in questions}}
    answers: dict[Question, tuple[float, float]] = {}
    stop = time.monotonic() + seconds
    for question in sorted(questions, key=lambda q: (getattr(opponents[q.opponent], "memory", "") == "history", q)):
        opponent = opponents[question.opponent]
        if search is None or opponent is None:
            answers[question] = math.nan, math.nan
        elif time.monotonic() < stop:
            params = params_of(game.name, question.public)
            wide = SEARCH if opponent.memory == "history" else {}
            best = search(params, question.seat, opponent, memory=opponent.memory, **wide)
            answers[question] = float(best.value), float(best.exact)
    return answers


def script_regrets(
    game: Game, asked: Sequence[Question], payoffs: Sequence[float], seconds: float
) -> tuple[list[float], int]:
    """Compute each seat's regret in gains (NaN if undefined), and the number of seats left out for lack of time."""
    regret, stop = solution_part(game, "script_regret"), time.monotonic() + seconds
    begun, regrets, left_out = set[Question](), list[float](), 0
    for question, payoff in zip(asked, payoffs, strict=True):
        script = script_of(game.name, question.opponent)
        # The solution keeps its answers, so an equal question takes no more time.
        late = question not in begun and time.monotonic() >= stop
        left_out += late and (script is not None or question.opponent == DRAWS)
        regrets.append(math.nan)
        if late or math.isnan(payoff) or (script is None and question.opponent != DRAWS):
            continue
        begun.add(question)
        with suppress(ValueError):  # too many rounds for the solution
            regrets[-1] = regret(params_of(game.name, question.public), question.seat, script, float(payoff))
    return regrets, left_out


@cache
def script_of(game_name: str, spec: str) -> Script | None:
    """Return a scripted player's strategy in compiled form; None if it has none."""
    if scripted_name(spec) not in scripted_players(game_name):
        return None
    try:
        return getattr(player(spec, game_name), "script", None)
    except ValueError:  # its arguments are drawn for each match
        return None
