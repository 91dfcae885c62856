"""The best response in hindsight: what a seat could have had against the very opponent of its match.

It is a ceiling of full information, of somebody who had known that opponent and the true last round.

It is searched for by `econzoo.evaluate.analyses.regret` in a process of its own, which is ended when it takes too long.
What was found once is remembered.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

from econzoo.baselines.factory import is_person
from econzoo.envs.core.faces.finish import NO_REPLY_REASONS
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.spec import split_name
from econzoo.envs.core.registry import game as find_game
from econzoo.envs.core.registry import players_of
from econzoo.evaluate.analyses.solutions import public_text, solution_part

SEARCH_MODULE = "econzoo.evaluate.analyses.regret"

SEARCH_SECONDS = 10.0
"""That a search may take, its process included."""


class BestResponse(NamedTuple):
    """The best response.

    Attributes:
        value: What it is paid, in the game's own unit.
        is_exact: Whether nothing is paid more; else somebody might do still better.
    """

    value: float
    is_exact: bool


class SearchQuestion(NamedTuple):
    """What a search is for: an `econzoo.evaluate.analyses.regret.Question`.

    Attributes:
        public: Parameters as JSON.
        seat: Who would respond.
        opponent: Spec.
    """

    public: str
    seat: int
    opponent: str


def search_question(record: Record, seat: int) -> SearchQuestion | None:
    """What is to be searched for; None where the game has no best response, or people and random draws decide."""
    game = find_game(record.game)
    has = solution_part(game, "best_response") and hasattr(players_of(record.game), "make_opponent")
    if not has or len(record.players) != 2 or record.is_truncated or record.status not in ("finished", "truncated"):
        return None
    drawn, opponent = record.drawn or [None, None], record.players[1 - seat]
    if is_person(opponent) or record.replaced or any(turn.finish in NO_REPLY_REASONS for turn in record.turns):
        return None  # it was not that opponent alone who has played
    return SearchQuestion(public_text(record.params), seat, drawn[1 - seat] or split_name(opponent).spec)


def find_search(record: Record, seat: int) -> Future[BestResponse | None] | None:
    """The search that answers a match, begun if it was not; None where there is nothing to be searched for."""
    question = search_question(record, seat)
    return None if question is None else start_search(record.game, question)


@cache
def start_search(game: str, question: SearchQuestion) -> Future[BestResponse | None]:
    """The best response, or None where there is none in the time; found beside everything else, one after the other.

    Args:
        game: Name.
        question: See `search_question`.
    """
    return _searcher().submit(_run_search, game, question)


@cache
def _searcher() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="hindsight")


def _run_search(game: str, question: SearchQuestion) -> BestResponse | None:
    if SEARCH_SECONDS <= 0:
        return None
    line, asked = [sys.executable, "-m", SEARCH_MODULE], json.dumps([game, *question])
    try:
        found = subprocess.run(line, input=asked, capture_output=True, text=True, timeout=SEARCH_SECONDS, check=True)
        value, exact = json.loads(found.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return None if value is None else BestResponse(value, exact)
