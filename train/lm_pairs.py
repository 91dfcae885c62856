"""Pairs of plays of one match, of which one came out better: what DPO learns from.

Both have the same setting, seed, seat and opponents. Up to the first reply that differs they are the same conversation,
which is the prompt. From there on all of the model's own replies are preferred or not; what it read is not learned.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from econzoo.baselines.models.chat import Message
from econzoo.baselines.models.loading import Loaded
from econzoo.envs.core.record.record import Record
from econzoo.envs.core.record.values import plain
from econzoo.train.lm_records import Seated, transcript
from econzoo.train.lm_rewards import Reward
from econzoo.train.lm_tokens import Tokens, sequences

__all__ = ["Pair", "Preference", "chat_of", "preferences", "tokenised"]

ENDED = ("finished", "truncated", "forfeited")
"""How the matches have ended that are compared, if they have a result."""


class Preference(NamedTuple):
    """Two plays of one match.

    Attributes:
        better: Came out better.
        worse: The other one.
    """

    better: Seated
    worse: Seated

    @property
    def margin(self) -> float:
        """By how much."""
        return self.better.value - self.worse.value


class Pair(NamedTuple):
    """A preference as a model reads it.

    Attributes:
        chosen: Own tokens are those of replies from the first that differs.
        rejected: Likewise.
        cell: Setting, seat and opponents.
    """

    chosen: Tokens
    rejected: Tokens
    cell: Any


def preferences(
    records: Iterable[Record],
    reward: Reward,
    margin: float,
    seats: Sequence[int] = (),
    players: Sequence[str] = (),
) -> list[Preference]:
    """The best play of every match with its worst, the second best with the second worst, and so on.

    Args:
        records: Matches; those without a result are left out.
        reward: What is better; a forfeit has its ``unusable``.
        margin: The least difference, 0 or more; equal plays are no pair.
        seats: To learn from; empty: all.
        players: Specs to learn from; empty: all.

    Returns:
        In the order in which the matches are met.
    """
    groups: dict[Any, list[Seated]] = defaultdict(list)
    for one in _candidates(records, reward, seats, players):
        groups[same_match(one)].append(one)
    found = []
    for plays in groups.values():
        ranked = sorted(plays, key=lambda one: -one.value)
        pairs = [Preference(ranked[place], ranked[-1 - place]) for place in range(len(ranked) // 2)]
        found += [pair for pair in pairs if pair.margin > 0 and pair.margin >= margin]
    return found


def same_match(one: Seated) -> tuple[Any, ...]:
    """What two plays of a pair share: setting, seat, opponents, seed and the form in which the seat was asked."""
    record = one.record
    return *one.cell, record.seed, json.dumps(plain(record.options), sort_keys=True), record.faces[one.seat]


def _candidates(
    records: Iterable[Record], reward: Reward, seats: Sequence[int], players: Sequence[str]
) -> Iterable[Seated]:
    for record in records:
        if record.status in ENDED and record.has_result and not record.replaced:
            for seat, spec in enumerate(record.players):
                acted = any(turn.seat == seat for turn in record.turns)
                if acted and (not seats or seat in seats) and (not players or spec in players):
                    yield Seated(record, seat, reward.of(record, seat))


def chat_of(one: Seated, decimals: int | None) -> list[Message]:
    """The conversation of a seat: as it was where it was one, unusable answers included, else as it would have been.

    Args:
        one: A seat of a match.
        decimals: Of amounts in replies that were no text; see `econzoo.train.lm_records.transcript`.
    """
    record, rules = one.record, one.record.rules[one.seat] if one.record.rules else None
    turns = [turn for turn in record.turns if turn.seat == one.seat]
    if rules is None or not all(isinstance(turn.reply, str) and turn.prompt is not None for turn in turns):
        return transcript(record, one.seat, decimals)
    chat: list[Message] = [{"role": "system", "content": rules}]
    for turn in turns:
        chat += [{"role": "user", "content": str(turn.prompt)}, {"role": "assistant", "content": turn.reply}]
    return chat


def tokenised(loaded: Loaded, one: Preference, limit: int, decimals: int | None) -> Pair | None:
    """A preference as tokens; None where none of both is the model's own doing, or no differing reply fits.

    Args:
        loaded: The model.
        one: The preference.
        limit: The most tokens of a sequence; see `econzoo.train.lm_tokens.sequences`.
        decimals: See `chat_of`.
    """
    chats = [chat_of(side, decimals) for side in (one.better, one.worse)]
    at = next((place for place, both in enumerate(zip(*chats, strict=False)) if both[0] != both[1]), -1)
    if at < 0 or chats[0][at]["role"] != "assistant":
        return None  # the others, or chance, made the difference
    sides = [_from_reply(loaded, chat, at, limit) for chat in chats]
    if sides[0] is None or sides[1] is None:
        return None
    return Pair(sides[0], sides[1], one.better.cell)


def _from_reply(loaded: Loaded, chat: Sequence[Message], at: int, limit: int) -> Tokens | None:
    """The sequence with the reply at a place, in which the replies from there on are own tokens."""
    weights = [float(place >= at) for place, message in enumerate(chat) if message["role"] == "assistant"]
    for made in sequences(loaded, chat, limit, weights, cut=limit == loaded.context):
        if any(made.weights):
            return Tokens(made.ids, [int(weight > 0) for weight in made.weights], made.weights)
    return None
