"""Best response in hindsight: the highest payoff of a seat against the actual opponent of its match.

It is a full-information ceiling, which assumes a known opponent and a known last round.

`econzoo.evaluate.analyses.regret` computes it in a separate process with a timeout. Results are cached.
"""

from __future__ import annotations

import math
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

from econzoo.baselines import is_person
from econzoo.envs.core import game as find_game
from econzoo.envs.core import players_of
from econzoo.envs.core.faces import NO_REPLY_REASONS
from econzoo.envs.core.record import Record, split_name
from econzoo.evaluate.analyses import public_text, solution_part

SEARCH_MODULE = "econzoo.evaluate.analyses.regret"

SEARCH_SECONDS = 10.0
"""Timeout of a search in seconds, including the start of its process."""


class BestResponse(NamedTuple):
    """The best response.

    Attributes:
        value: Its payoff in the game's own unit.
    """

    value: float
    is_exact: bool


class SearchQuestion(NamedTuple):
    """Input of a search: an `econzoo.evaluate.analyses.regret.Question`."""

    public: str
    seat: int
    opponent: str


def search_question(record: Record, seat: int) -> SearchQuestion | None:
    """Build the search of a match; None: the game has no best response, or the opponent was not a program alone."""
    game = find_game(record.game)
    if not (solution_part(game, "best_response") and hasattr(players_of(record.game), "make_opponent")):
        return None
    if len(record.players) != 2 or record.is_truncated or record.status not in ("finished", "truncated"):
        return None
    drawn, opponent = record.sampled_players or [None, None], record.players[1 - seat]
    if is_person(opponent) or record.replacements or any(turn.finish in NO_REPLY_REASONS for turn in record.turns):
        return None  # the opponent was a person or did not play alone
    return SearchQuestion(public_text(record.params), seat, drawn[1 - seat] or split_name(opponent).spec)


def find_search(record: Record, seat: int) -> Future[BestResponse | None] | None:
    """The search of a match, started on first use; None: there is nothing to search for."""
    question = search_question(record, seat)
    return None if question is None else start_search(record.game, question)


# Equal questions share a search, whoever asks and as often as pages are loaded.
@cache
def start_search(game: str, question: SearchQuestion) -> Future[BestResponse | None]:
    """Start a search in the background, one at a time; its result is None after a timeout."""
    return _searcher().submit(_run_search, game, question)


@cache
def _searcher() -> ThreadPoolExecutor:
    # One, since a search takes a whole core.
    return ThreadPoolExecutor(1, thread_name_prefix="hindsight")


def _run_search(game: str, question: SearchQuestion) -> BestResponse | None:
    if SEARCH_SECONDS <= 0:
        return None
    # Not forked: the server has threads, whose locks a fork would copy as they are.
    context = get_context("spawn")
    results, end = context.Pipe(duplex=False)
    process = context.Process(target=_search, args=(game, question, end), daemon=True)
    process.start()
    # With this end closed here, recv() ends when the process does, even without a result.
    end.close()
    try:
        found: BestResponse | None = results.recv() if results.poll(SEARCH_SECONDS) else None
        return found
    except EOFError:  # the search failed
        return None
    finally:
        process.kill()
        process.join()


def _search(game: str, question: SearchQuestion, results: Connection) -> None:
    """Work of the process: send the best response, or None if it is undefined."""
    with suppress(ValueError):
        # Without a limit of its own: the process is killed when its time is over.
        values = import_module(SEARCH_MODULE).best_values(find_game(game), {question}, math.inf)
        value, exact = values[question]
        results.send(None if math.isnan(value) else BestResponse(value, exact == 1))
