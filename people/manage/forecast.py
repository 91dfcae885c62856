"""Estimate time and cost of a collection from a few trial matches.

    python -m econzoo.people.manage.forecast < order.json

No record is saved and no language model is called: random valid replies replace its answers, which gives its prompt
tokens and a lower bound of its completion tokens.
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

from econzoo.baselines import LanguageModelPlayer, Player
from econzoo.baselines.models import ANY_MOVE, CannedChat, Completion, Conversation, Prices, Schema, cost_of
from econzoo.envs.core.record import Record
from econzoo.evaluate.run import MIN_MATCHES_PER_PROCESS, Design, Match, PlayerCache, has_no_batched_player
from econzoo.evaluate.run import is_seed_independent, play_matches
from econzoo.people.manage.order import Forecast, Order

CHARACTERS_PER_TOKEN = 4
"""Characters counted as one token, as in `econzoo.baselines.models.token_counts`."""

TRIAL_POOL_SIZE = 2_000
"""Matches from which the trial matches are sampled."""

MAX_TRIALS, MAX_SECONDS = 24, 2.0
"""Maximum trial matches, and their maximum total time."""


class TrialMatch(NamedTuple):
    """A trial match with its duration in seconds."""

    seconds: float
    match: Match
    record: Record


class PricedMockChat(CannedChat):
    """Mock of a language model with its prices.

    Args:
        price_per_million: US dollars per million tokens, as in `OpenAIChat`.
    """

    def __init__(self, price_per_million: Prices = (0.0, 0.0), library: Sequence[str] = ()) -> None:
        super().__init__([ANY_MOVE], library=library)
        self.price_per_million = price_per_million

    def fresh_copy(self, replies_used: int, library: Sequence[str] = ()) -> PricedMockChat:
        """A copy for another match."""
        return PricedMockChat(self.price_per_million, library)

    def _complete_one(self, conversation: Conversation, schema: Schema | None, seed: int) -> Completion:
        reply = self.reply_to(conversation, schema, seed)
        read = sum(map(_count_tokens, (str(message["content"]) for message in conversation)))
        wrote = _count_tokens(str(reply))
        return Completion(str(reply), read, wrote, 0.0, cost_of(self.price_per_million, read, wrote))


def _count_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


class MockedPlayers:
    """Players by spec, with mocks of language models."""

    def __init__(self, cast: Callable[[str], Player]) -> None:
        self._cast, self._players = cast, dict[str, Player]()

    def __call__(self, spec: str) -> Player:
        """The player of a spec, mocked if it is a language model."""
        if spec not in self._players:
            player = self._cast(spec)
            if isinstance(player, LanguageModelPlayer):
                # A copy: the cache keeps the real model, which tells matches of models from others.
                player = copy(player)
                player.model = PricedMockChat(getattr(player.model, "price_per_million", (0.0, 0.0)))
            self._players[spec] = player
        return self._players[spec]


def forecast(order: Order) -> Forecast:
    """Play a few trial matches of a collection and extrapolate."""
    plan = order.plan()
    cache = PlayerCache(plan.game)
    players = MockedPlayers(cache)
    trials: list[TrialMatch] = []
    began = time.monotonic()
    for match in sample_evenly(list(islice(plan.matches(), TRIAL_POOL_SIZE)), MAX_TRIALS):
        at = time.monotonic()
        (record,) = play_matches([match], players, 1, on_error="failed")
        trials.append(TrialMatch(time.monotonic() - at, match, record))
        if time.monotonic() - began > MAX_SECONDS:
            break
    return summarize_trials(plan, cache, trials)


def sample_evenly(matches: Sequence[Match], count: int) -> Iterator[Match]:
    """Yield `count` evenly spaced matches, from the middle outwards."""
    wanted = min(count, len(matches))
    places = [int((number + 0.5) * len(matches) / wanted) for number in range(wanted)]
    yield from (matches[place] for place in sorted(places, key=lambda place: abs(place - len(matches) // 2)))


def summarize_trials(plan: Design, cast: Callable[[str], Player], tried: Sequence[TrialMatch]) -> Forecast:
    """Extrapolate the trial matches to all matches of a plan."""
    first = list(islice(plan.matches(), TRIAL_POOL_SIZE))
    scripted = [match for match in first if has_no_batched_player(match, cast)]
    model_matches = round(len(plan) * (1 - len(scripted) / len(first)))
    times = [one.seconds for one in tried if has_no_batched_player(one.match, cast)]
    seconds = None
    if times:
        played = _count_scripted_matches(scripted, len(plan) / len(first), cast)
        # As many processes as the tournament starts.
        jobs = min(os.cpu_count() or 1, 1 + int(played) // MIN_MATCHES_PER_PROCESS)
        seconds = START_SECONDS + played * sum(times) / len(times) / jobs
    # Trials are evenly spaced over the plan, so each stands for equally many matches.
    turns, scale = [turn for one in tried for turn in one.record.turns], len(plan) / len(tried)
    read, wrote = (scale * sum(turn.tokens[place] for turn in turns) for place in (0, 1))
    failed = [one.record.reason or "" for one in tried if one.record.status == "failed"]
    cost = scale * sum(turn.cost for turn in turns)
    return Forecast(len(plan), seconds, model_matches, round(read), round(wrote), cost, len(tried), *failed[:1])


def _count_scripted_matches(scripted: Sequence[Match], scale: float, cast: Callable[[str], Player]) -> float:
    """Number of scripted matches to play; matches that do not depend on the seed are played once."""
    # All matches of a setting share one dict of parameters, whose id is hashable and cheap.
    once = {(id(match.params), match.players) for match in scripted if is_seed_independent(match, cast)}
    return len(once) + scale * sum((id(match.params), match.players) not in once for match in scripted)


START_SECONDS = 2.0
"""Start-up time in seconds before the first match."""


if __name__ == "__main__":
    print(json.dumps(forecast(Order.from_json(sys.stdin.read()))._asdict()))
