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
from econzoo.baselines.models.mock_chat import ANYTHING, CannedChat
from econzoo.baselines.models.token_counts import Prices, cost_of
from econzoo.baselines.player import Player
from econzoo.envs.core.record.record import Record
from econzoo.evaluate.run.design import Design
from econzoo.evaluate.run.match import Cast, play_matches, plays_alone, seed_changes_nothing
from econzoo.evaluate.run.table import Match
from econzoo.evaluate.run.tournament import WORTH_A_PROCESS
from econzoo.people.manage.order import Forecast, Order

LETTERS = 4
"""Characters that are counted as a token."""

FIRST = 2_000
"""Matches among which those are that are played."""

TRIED, SECONDS = 24, 2.0
"""Matches that are played at most, and how long that may take in all."""


class Tried(NamedTuple):
    """A match that was tried.

    Attributes:
        seconds: That it took.
        match: The match.
        record: Of it.
    """

    seconds: float
    match: Match
    record: Record


class Rehearsal(CannedChat):
    """Takes the place of a language model, at its prices.

    Args:
        price_per_million: US dollars for a million tokens, as an `OpenAIChat` has them.
        library: Texts that are moves, where moves are texts.
    """

    def __init__(self, price_per_million: Prices = (0.0, 0.0), library: Sequence[str] = ()) -> None:
        super().__init__([ANYTHING], library=library)
        self.price_per_million = price_per_million

    def afresh(self, given: int, library: Sequence[str] = ()) -> Rehearsal:
        """One for another match."""
        return Rehearsal(self.price_per_million, library)

    def _one(self, conversation: Conversation, schema: Schema | None, seed: int) -> Completion:
        reply = self.answer(conversation, schema, seed)
        read = sum(map(_tokens, (str(message["content"]) for message in conversation)))
        wrote = _tokens(str(reply))
        return Completion(str(reply), read, wrote, 0.0, cost_of(self.price_per_million, read, wrote))


def _tokens(text: str) -> int:
    return -(-len(text) // LETTERS)


class Understudies:
    """Players by spec, with somebody in the place of language models.

    Args:
        cast: The players.
    """

    def __init__(self, cast: Callable[[str], Player]) -> None:
        self._cast, self._made = cast, dict[str, Player]()

    def __call__(self, spec: str) -> Player:
        """The player, or who takes its place."""
        if spec not in self._made:
            player = self._cast(spec)
            if isinstance(player, LanguageModelPlayer):
                player = copy(player)
                player.model = Rehearsal(getattr(player.model, "price_per_million", (0.0, 0.0)))
            self._made[spec] = player
        return self._made[spec]


def forecast(order: Order) -> Forecast:
    """Plays a few matches of a collection; see `Forecast`."""
    plan = order.plan()
    cast = Cast(plan.game)
    everybody = Understudies(cast)
    tried: list[Tried] = []
    began = time.monotonic()
    for match in spread(list(islice(plan.matches(), FIRST)), TRIED):
        at = time.monotonic()
        (record,) = play_matches([match], everybody, 1, on_error="failed")
        tried.append(Tried(time.monotonic() - at, match, record))
        if time.monotonic() - began > SECONDS:
            break
    return sum_up(plan, cast, tried)


def spread(matches: Sequence[Match], count: int) -> Iterator[Match]:
    """So many of the matches, from all over, those in the middle first."""
    wanted = min(count, len(matches))
    places = [int((number + 0.5) * len(matches) / wanted) for number in range(wanted)]
    yield from (matches[place] for place in sorted(places, key=lambda place: abs(place - len(matches) // 2)))


def sum_up(plan: Design, cast: Callable[[str], Player], tried: Sequence[Tried]) -> Forecast:
    """What all matches of a plan come to if they are as those that were tried."""
    first = list(islice(plan.matches(), FIRST))
    alone = [match for match in first if plays_alone(match, cast)]
    asked = round(len(plan) * (1 - len(alone) / len(first)))
    times = [one.seconds for one in tried if plays_alone(one.match, cast)]
    seconds = None
    if times:
        played = _played(alone, len(plan) / len(first), cast)
        jobs = min(os.cpu_count() or 1, 1 + int(played) // WORTH_A_PROCESS)
        seconds = START + played * sum(times) / len(times) / jobs
    turns, each = [turn for one in tried for turn in one.record.turns], len(plan) / len(tried)
    read, wrote = (each * sum(turn.tokens[place] for turn in turns) for place in (0, 1))
    failed = [one.record.reason or "" for one in tried if one.record.status == "failed"]
    cost = each * sum(turn.cost for turn in turns)
    return Forecast(len(plan), seconds, asked, round(read), round(wrote), cost, len(tried), *failed[:1])


def _played(alone: Sequence[Match], part: float, cast: Callable[[str], Player]) -> float:
    """How many matches of scripted players are played: where the seed changes nothing, one stands for all."""
    once = {(id(match.params), match.players) for match in alone if seed_changes_nothing(match, cast)}
    return len(once) + part * sum((id(match.params), match.players) not in once for match in alone)


START = 2.0
"""Seconds until the first match begins."""


if __name__ == "__main__":
    print(json.dumps(forecast(Order.from_json(sys.stdin.read()))._asdict()))
