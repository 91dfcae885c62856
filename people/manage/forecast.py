"""Tries a few matches of a collection, and tells what all of them come to.

    python -m econzoo.people.manage.forecast < order.json

What is played is kept nowhere, and no language model is asked:
a random reply of the right form takes the place of its answer, so that what it reads is known, and what it writes at
least.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
from typing import NamedTuple

from econzoo.baselines.language_model import LanguageModelPlayer
from econzoo.baselines.models.chat import Completion, Conversation, Schema
from econzoo.baselines.models.mock_chat import ANY_MOVE, CannedChat
from econzoo.baselines.models.token_counts import Prices, cost_of
from econzoo.baselines.player import Player
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.match import PlayerCache, has_no_batched_player, is_seed_independent, play_matches
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.run.tournament import MIN_MATCHES_PER_PROCESS
from econzoo.people.manage.order import Forecast, Order

CHARACTERS_PER_TOKEN = 4
"""Characters that are counted as a token."""

TRIAL_POOL_SIZE = 2_000
"""Matches among which those are that are played."""

MAX_TRIALS, MAX_SECONDS = 24, 2.0
"""Matches that are played at most, and how long that may take in all."""


class TrialMatch(NamedTuple):
    """A match that was tried.

    Attributes:
        seconds: That it took.
        match: The match.
        record: Of it.
    """

    seconds: float
    match: Match
    record: Record


class PricedMockChat(CannedChat):
    """Takes the place of a language model, at its prices.

    Args:
        price_per_million: US dollars for a million tokens, as an `OpenAIChat` has them.
        library: Texts that are moves, where moves are texts.
    """

    def __init__(self, price_per_million: Prices = (0.0, 0.0), library: Sequence[str] = ()) -> None:
        super().__init__([ANY_MOVE], library=library)
        self.price_per_million = price_per_million

    def fresh_copy(self, replies_used: int, library: Sequence[str] = ()) -> PricedMockChat:
        """One for another match."""
        return PricedMockChat(self.price_per_million, library)

    def _complete_one(self, conversation: Conversation, schema: Schema | None, seed: int) -> Completion:
        reply = self.answer(conversation, schema, seed)
        read = sum(map(_count_tokens, (str(message["content"]) for message in conversation)))
        wrote = _count_tokens(str(reply))
        return Completion(str(reply), read, wrote, 0.0, cost_of(self.price_per_million, read, wrote))


def _count_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class MockedPlayers:
    """Players by spec, with somebody in the place of language models.

    Args:
        cast: The players.
    """

    def __init__(self, cast: Callable[[str], Player]) -> None:
        self._cast, self._players = cast, dict[str, Player]()

    def __call__(self, spec: str) -> Player:
        """The player, or who takes its place."""
        if spec not in self._players:
            player = self._cast(spec)
            if isinstance(player, LanguageModelPlayer):
                player = copy(player)
                player.model = PricedMockChat(getattr(player.model, "price_per_million", (0.0, 0.0)))
            self._players[spec] = player
        return self._players[spec]


def forecast(order: Order) -> Forecast:
    """Plays a few matches of a collection; see `Forecast`."""
    plan = order.plan()
    cast = PlayerCache(plan.game)
    everybody = MockedPlayers(cast)
    tried: list[TrialMatch] = []
    began = time.monotonic()
    for match in sample_evenly(list(islice(plan.matches(), TRIAL_POOL_SIZE)), MAX_TRIALS):
        at = time.monotonic()
        (record,) = play_matches([match], everybody, 1, on_error="failed")
        tried.append(TrialMatch(time.monotonic() - at, match, record))
        if time.monotonic() - began > MAX_SECONDS:
            break
    return summarize_trials(plan, cast, tried)


def sample_evenly(matches: Sequence[Match], count: int) -> Iterator[Match]:
    """So many of the matches, from all over, those in the middle first."""
    wanted = min(count, len(matches))
    places = [int((number + 0.5) * len(matches) / wanted) for number in range(wanted)]
    yield from (matches[place] for place in sorted(places, key=lambda place: abs(place - len(matches) // 2)))


def summarize_trials(plan: Design, cast: Callable[[str], Player], tried: Sequence[TrialMatch]) -> Forecast:
    """What all matches of a plan come to if they are as those that were tried."""
    first = list(islice(plan.matches(), TRIAL_POOL_SIZE))
    alone = [match for match in first if has_no_batched_player(match, cast)]
    asked = round(len(plan) * (1 - len(alone) / len(first)))
    times = [one.seconds for one in tried if has_no_batched_player(one.match, cast)]
    seconds = None
    if times:
        played = _count_scripted_matches(alone, len(plan) / len(first), cast)
        jobs = min(os.cpu_count() or 1, 1 + int(played) // MIN_MATCHES_PER_PROCESS)
        seconds = START_SECONDS + played * sum(times) / len(times) / jobs
    turns, each = [turn for one in tried for turn in one.record.turns], len(plan) / len(tried)
    read, wrote = (each * sum(turn.tokens[place] for turn in turns) for place in (0, 1))
    failed = [one.record.reason or "" for one in tried if one.record.status == "failed"]
    cost = each * sum(turn.cost for turn in turns)
    return Forecast(len(plan), seconds, asked, round(read), round(wrote), cost, len(tried), *failed[:1])


def _count_scripted_matches(alone: Sequence[Match], part: float, cast: Callable[[str], Player]) -> float:
    """How many matches of scripted players are played: where the seed changes nothing, one stands for all."""
    once = {(id(match.params), match.players) for match in alone if is_seed_independent(match, cast)}
    return len(once) + part * sum((id(match.params), match.players) not in once for match in alone)


START_SECONDS = 2.0
"""Seconds until the first match begins."""


if __name__ == "__main__":
    print(json.dumps(forecast(Order.from_json(sys.stdin.read()))._asdict()))
