"""What a seat is told when its match is over: gains, shares, the best response in hindsight, and what was hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.human import strip_reply_format
from econzoo.envs.core.contract.game import Event
from econzoo.envs.core.faces.structured_face import event_from_plain
from econzoo.envs.core.faces.transcript import replace_names, role_names
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import shares_of_equilibrium
from econzoo.evaluate.analyses.stories import match_outline
from econzoo.people.server.site import texts
from econzoo.people.table.hindsight import find_search
from econzoo.people.table.move_words import format_payoff, localize_story
from econzoo.people.table.public_view import describe_turns, is_same_move
from econzoo.people.table.record_check import check_record
from econzoo.people.table.seat_view import describe_gain

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.transcript import MatchTexts

MAX_SENTENCES = 8
"""Sentences of each seat that are told."""

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_NUMBERS = re.compile(r"\d[\d,.]*\d|\d")
_THINGS = re.compile(rf"(?:{_NUMBERS.pattern})(?: \w+)?")  # with what is counted, which may be one or several


class HiddenInformation(NamedTuple):
    """What a seat learns when a match is over.

    Attributes:
        unread_sentences: (role, sentences) of the others: what they read and this seat did not.
        unseen_turns: Turns, from 0, of others whose moves this seat did not see as they were.
    """

    unread_sentences: list[tuple[str, list[str]]]
    unseen_turns: set[int]


def find_hidden_information(record: Record, told: MatchTexts, seat: int) -> HiddenInformation:
    """What a seat could not know.

    Args:
        record: The match.
        told: What every seat read.
        seat: Whose.
    """
    roles = role_names(find_game(record.game), len(record.players), record.params)
    texts = [_SeatTexts(told, record.turns, one) for one in range(len(roles))]
    others = [
        (role, list(texts[one].sentences_beyond(texts[seat], roles))) for one, role in enumerate(roles) if one != seat
    ]
    return HiddenInformation(
        [(role, found[:MAX_SENTENCES]) for role, found in others if found], set(_find_unseen_turns(record, told, seat))
    )


class _SeatTexts:
    """All that a seat has read.

    Args:
        told: What every seat read.
        turns: Of the match.
        seat: Whose.
    """

    def __init__(self, told: MatchTexts, turns: Sequence[Turn], seat: int) -> None:
        asked = [text for text, turn in zip(told.prompts, turns, strict=True) if turn.seat == seat and text]
        self._rules = _split_sentences([told.rules[seat]])
        self._questions = _split_sentences("\n".join(strip_reply_format(text)) for text in asked)
        every = [told.rules[seat], *asked, told.endings[seat]]
        self._numbers = {number for text in every for number in _NUMBERS.findall(text)}

    def sentences_beyond(self, other: _SeatTexts, roles: Sequence[str]) -> Iterator[str]:
        """Sentences with a number that the other never read, and rules that give each of the two another number.

        A question that names a seat tells what that seat did, which is told with the moves; a rule that gives each
        another number and names a seat tells each about the other.
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
    """The sentences of some texts, each once."""
    return list(dict.fromkeys(one.strip() for text in texts for one in _SENTENCES.split(text) if one.strip()))


def _find_unseen_turns(record: Record, told: MatchTexts, seat: int) -> Iterator[int]:
    game, left = find_game(record.game), list(told.events[seat])
    for number, turn in enumerate(record.turns):
        if turn.seat == seat or turn.action is None:
            continue
        made = event_from_plain(game, {"seat": turn.seat, "round": turn.round, **turn.action})
        at = next((at for at, event in enumerate(left) if _shows_move(event, made)), None)
        if at is None:
            yield number
        else:
            del left[at]


def _shows_move(event: Event, made: Event) -> bool:
    """Whether an event shows a move as it was made."""
    return (event.seat, event.round) == (made.seat, made.round) and is_same_move(event.action, made.action)


CENT = 0.005
"""Less than that is no difference."""


class EndCard:
    """The end card of a seat.

    Args:
        record: Of the match, which has ended.
        seat: Whose card.
    """

    def __init__(self, record: Record, seat: int) -> None:
        self._record, self.seat = record, seat
        self._checked_record = check_record(record.to_json())

    @cached_property
    def match(self) -> dict[str, Any]:
        """The match as reports tell it, each seat with its share of the equilibrium payoff."""
        record = self._record
        told = localize_story(record, {**match_outline(record, ""), "turns": describe_turns(record, self.is_verified)})
        seats = zip(told["seats"], shares_of_equilibrium(record), strict=True)
        return {**told, "seats": [{**one, "share": share} for one, share in seats]}

    @property
    def has_shares(self) -> bool:
        """Whether anybody has a share of the equilibrium payoff."""
        return any(one["share"] == one["share"] for one in self.match["seats"])

    @property
    def gain_description(self) -> str:
        """What the gain of this game is."""
        return describe_gain(self._record.game)

    @property
    def is_verified(self) -> bool:
        """Whether all comes out the same when the rules are run again."""
        return not self._checked_record.problems

    @cached_property
    def hidden_information(self) -> HiddenInformation:
        """What the seat could not know."""
        told = self._checked_record.transcript
        return HiddenInformation([], set()) if told is None else find_hidden_information(self._record, told, self.seat)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """All moves, each with whether it was ``unseen``."""
        return [
            {**turn, "unseen": at in self.hidden_information.unseen_turns}
            for at, turn in enumerate(self.match["turns"])
        ]

    @property
    def is_searching(self) -> bool:
        """Whether the best response is still searched for."""
        search = find_search(self._record, self.seat)
        return search is not None and not search.done()

    @property
    def hindsight(self) -> str:
        """The best response in hindsight, in words; empty where the game, or this match, has none."""
        search, say = find_search(self._record, self.seat), texts().say
        if search is None:
            return ""
        if not search.done():
            return say("end.best_searched")
        best = search.result()
        if best is None:
            return say("end.best_unknown")
        more = best.value - self._record.payoffs[self.seat]
        game = find_game(self._record.game)
        told = {"best": format_payoff(game, best.value), "more": format_payoff(game, max(more, 0.0))}
        if more < CENT:
            return say("end.best_yours" if best.is_exact else "end.best_none", **told)
        return say("end.best" if best.is_exact else "end.best_least", **told)


def end_card(record: Record | None, seat: int) -> EndCard | None:
    """The end card; None while the match goes on, and where it could not be played to its end."""
    failed = record is None or record.status == "failed"
    return None if record is None or failed else EndCard(record, seat)
