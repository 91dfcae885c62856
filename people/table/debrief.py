"""Debriefing of a seat after its match: gains, shares, best response in hindsight, hidden information."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from econzoo.baselines import strip_reply_format
from econzoo.envs.core import game as find_game
from econzoo.envs.core.contract import Event
from econzoo.envs.core.faces import event_from_plain, replace_names, role_names
from econzoo.envs.core.record import Record, Turn
from econzoo.evaluate.analyses import MatchTexts, match_outline, shares_of_equilibrium
from econzoo.people.server import texts
from econzoo.people.table.hindsight import find_search
from econzoo.people.table.move_words import format_payoff, localize_story
from econzoo.people.table.public_view import describe_turns, is_same_move
from econzoo.people.table.record_check import check_record
from econzoo.people.table.seat_view import describe_gain

MAX_SENTENCES = 8
"""Maximum sentences shown for each seat."""

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_NUMBERS = re.compile(r"\d[\d,.]*\d|\d")
_THINGS = re.compile(rf"(?:{_NUMBERS.pattern})(?: \w+)?")  # with its noun, singular or plural


class HiddenInformation(NamedTuple):
    """Information revealed to a seat after a match.

    Attributes:
        unread_sentences: (role, sentences) that other seats read and this seat did not.
        unseen_turns: Turns of others, from 0, whose moves this seat did not fully observe.
    """

    unread_sentences: list[tuple[str, list[str]]]
    unseen_turns: set[int]


def find_hidden_information(record: Record, transcript: MatchTexts, seat: int) -> HiddenInformation:
    roles = role_names(find_game(record.game), len(record.players), record.params)
    texts = [_SeatTexts(transcript, record.turns, one) for one in range(len(roles))]
    others = [
        (role, list(texts[one].sentences_beyond(texts[seat], roles))) for one, role in enumerate(roles) if one != seat
    ]
    return HiddenInformation(
        [(role, unread[:MAX_SENTENCES]) for role, unread in others if unread],
        set(_find_unseen_turns(record, transcript, seat)),
    )


class _SeatTexts:
    """All texts that a seat has read."""

    def __init__(self, transcript: MatchTexts, turns: Sequence[Turn], seat: int) -> None:
        asked = [text for text, turn in zip(transcript.prompts, turns, strict=True) if turn.seat == seat and text]
        self._rules = _split_sentences([transcript.rules[seat]])
        self._questions = _split_sentences("\n".join(strip_reply_format(text)) for text in asked)
        texts = [transcript.rules[seat], *asked, transcript.endings[seat]]
        self._numbers = {number for text in texts for number in _NUMBERS.findall(text)}

    def sentences_beyond(self, other: _SeatTexts, roles: Sequence[str]) -> Iterator[str]:
        """Sentences with a number that the other never read, and rules whose numbers differ between the two seats.

        A question that names a seat reports its move, which is shown with the moves; a rule with differing numbers
        that names a seat informs each about the other. Both are left out.
        """
        rules = {replace_names(sentence, roles) for sentence in other._rules}
        forms = {_THINGS.sub("#", rule) for rule in rules}
        for sentence in self._rules:
            rule = replace_names(sentence, roles)
            own = rule == sentence and _THINGS.sub("#", rule) in forms
            if rule not in rules and (own or self._has_news(sentence, other)):
                yield sentence
        yield from (one for one in self._questions if self._has_news(one, other) and replace_names(one, roles) == one)

    @staticmethod
    def _has_news(sentence: str, other: _SeatTexts) -> bool:
        return not other._numbers.issuperset(_NUMBERS.findall(sentence))


def _split_sentences(texts: Iterable[str]) -> list[str]:
    """Distinct sentences of texts, in order."""
    return list(dict.fromkeys(one.strip() for text in texts for one in _SENTENCES.split(text) if one.strip()))


def _find_unseen_turns(record: Record, transcript: MatchTexts, seat: int) -> Iterator[int]:
    game, events = find_game(record.game), list(transcript.events[seat])
    for number, turn in enumerate(record.turns):
        if turn.seat == seat or turn.action is None:
            continue
        move = event_from_plain(game, {"seat": turn.seat, "round": turn.round, **turn.action})
        at = next((at for at, event in enumerate(events) if _shows_move(event, move)), None)
        if at is None:
            yield number
        else:
            # An event shows one move: an equal move later needs another one.
            del events[at]


def _shows_move(event: Event, move: Event) -> bool:
    """Whether an observed event shows a move completely."""
    return (event.seat, event.round) == (move.seat, move.round) and is_same_move(event.action, move.action)


CENT = 0.005
"""Tolerance below which payoffs count as equal."""


class EndCard:
    def __init__(self, record: Record, seat: int) -> None:
        self._record, self.seat = record, seat
        self._checked_record = check_record(record.to_json())

    @cached_property
    def match(self) -> dict[str, Any]:
        """Outline of the match, each seat with its share of the equilibrium payoff."""
        record = self._record
        story = localize_story(record, {**match_outline(record, ""), "turns": describe_turns(record, self.is_verified)})
        seats = zip(story["seats"], shares_of_equilibrium(record), strict=True)
        return {**story, "seats": [{**one, "share": share} for one, share in seats]}

    @property
    def has_shares(self) -> bool:
        """Whether any seat has a share of the equilibrium payoff."""
        # NaN, which differs from itself: no share.
        return any(one["share"] == one["share"] for one in self.match["seats"])

    @property
    def gain_description(self) -> str:
        return describe_gain(self._record.game)

    @property
    def is_verified(self) -> bool:
        """Whether replaying the rules confirms the record."""
        return not self._checked_record.problems

    @cached_property
    def hidden_information(self) -> HiddenInformation:
        transcript = self._checked_record.transcript
        if transcript is None:
            return HiddenInformation([], set())
        return find_hidden_information(self._record, transcript, self.seat)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """All moves, with ``unseen``: whether it was hidden from the seat."""
        return [
            {**turn, "unseen": at in self.hidden_information.unseen_turns}
            for at, turn in enumerate(self.match["turns"])
        ]

    @property
    def is_searching(self) -> bool:
        """Whether the search for the best response is running."""
        search = find_search(self._record, self.seat)
        return search is not None and not search.done()

    @property
    def hindsight(self) -> str:
        """Description of the best response in hindsight; empty: the game or the match has none."""
        search, say = find_search(self._record, self.seat), texts().say
        if search is None:
            return ""
        if not search.done():
            return say("end.best_searched")
        best = search.result()
        if best is None:
            return say("end.best_unknown")
        gap = best.value - self._record.payoffs[self.seat]
        game = find_game(self._record.game)
        fields = {"best": format_payoff(game, best.value), "more": format_payoff(game, max(gap, 0.0))}
        if gap < CENT:
            return say("end.best_yours" if best.is_exact else "end.best_none", **fields)
        return say("end.best" if best.is_exact else "end.best_least", **fields)


def end_card(record: Record | None, seat: int) -> EndCard | None:
    """Build the end card; None: the match is running or has failed."""
    failed = record is None or record.status == "failed"
    return None if record is None or failed else EndCard(record, seat)
