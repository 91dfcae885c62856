"""What a seat is told when its match is over: gains, shares, the best response in hindsight, and what was hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.baselines.human import readable
from econzoo.envs.core.contract.game import Event
from econzoo.envs.core.faces.structured_face import typed_event
from econzoo.envs.core.faces.transcript import numbered, role_names
from econzoo.envs.core.record.record import Record, Turn
from econzoo.envs.core.registry import game as find_game
from econzoo.evaluate.analyses.solutions import shares_of_equilibrium
from econzoo.evaluate.analyses.stories import brief
from econzoo.people.server.site import texts
from econzoo.people.table.hindsight import search_of
from econzoo.people.table.move_words import in_own_words, paid
from econzoo.people.table.public_view import same, turns_told
from econzoo.people.table.record_check import check_record
from econzoo.people.table.seat_view import gain_of

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.transcript import Retold

MOST = 8
"""Sentences of each seat that are told."""

_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n")
_NUMBERS = re.compile(r"\d[\d,.]*\d|\d")
_THINGS = re.compile(rf"(?:{_NUMBERS.pattern})(?: \w+)?")  # with what is counted, which may be one or several


class Revealed(NamedTuple):
    """What a seat learns when a match is over.

    Attributes:
        read: (role, sentences) of the others: what they read and this seat did not.
        unseen: Turns, from 0, of others whose moves this seat did not see as they were.
    """

    read: list[tuple[str, list[str]]]
    unseen: set[int]


def secrets_of(record: Record, told: Retold, seat: int) -> Revealed:
    """What a seat could not know.

    Args:
        record: The match.
        told: What every seat read.
        seat: Whose.
    """
    roles = role_names(find_game(record.game), len(record.players), record.params)
    texts = [_Read(told, record.turns, one) for one in range(len(roles))]
    others = [(role, list(texts[one].beyond(texts[seat], roles))) for one, role in enumerate(roles) if one != seat]
    return Revealed([(role, found[:MOST]) for role, found in others if found], set(_unseen(record, told, seat)))


class _Read:
    """All that a seat has read.

    Args:
        told: What every seat read.
        turns: Of the match.
        seat: Whose.
    """

    def __init__(self, told: Retold, turns: Sequence[Turn], seat: int) -> None:
        asked = [text for text, turn in zip(told.prompts, turns, strict=True) if turn.seat == seat and text]
        self._rules = _sentences([told.rules[seat]])
        self._asked = _sentences("\n".join(readable(text)) for text in asked)
        every = [told.rules[seat], *asked, told.endings[seat]]
        self._numbers = {number for text in every for number in _NUMBERS.findall(text)}

    def beyond(self, other: _Read, roles: Sequence[str]) -> Iterator[str]:
        """Sentences with a number that the other never read, and rules that give each of the two another number.

        A question that names a seat tells what that seat did, which is told with the moves; a rule that gives each
        another number and names a seat tells each about the other.
        """
        rules = {numbered(sentence, roles) for sentence in other._rules}
        forms = {_THINGS.sub("#", rule) for rule in rules}
        for sentence in self._rules:
            rule = numbered(sentence, roles)
            own = rule == sentence and _THINGS.sub("#", rule) in forms
            if rule not in rules and (own or self._news(sentence, other)):
                yield sentence
        yield from (one for one in self._asked if self._news(one, other) and numbered(one, roles) == one)

    @staticmethod
    def _news(sentence: str, other: _Read) -> bool:
        return not other._numbers.issuperset(_NUMBERS.findall(sentence))


def _sentences(texts: Iterable[str]) -> list[str]:
    """The sentences of some texts, each once."""
    return list(dict.fromkeys(one.strip() for text in texts for one in _SENTENCES.split(text) if one.strip()))


def _unseen(record: Record, told: Retold, seat: int) -> Iterator[int]:
    game, left = find_game(record.game), list(told.events[seat])
    for number, turn in enumerate(record.turns):
        if turn.seat == seat or turn.action is None:
            continue
        made = typed_event(game, {"seat": turn.seat, "round": turn.round, **turn.action})
        at = next((at for at, event in enumerate(left) if _is(event, made)), None)
        if at is None:
            yield number
        else:
            del left[at]


def _is(event: Event, made: Event) -> bool:
    """Whether an event shows a move as it was made."""
    return (event.seat, event.round) == (made.seat, made.round) and same(event.action, made.action)


CENT = 0.005
"""Less than that is no difference."""


class Afterwards:
    """The end card of a seat.

    Args:
        record: Of the match, which has ended.
        seat: Whose card.
    """

    def __init__(self, record: Record, seat: int) -> None:
        self._record, self.own = record, seat
        self._found = check_record(record.to_json())

    @cached_property
    def match(self) -> dict[str, Any]:
        """The match as reports tell it, each seat with its share of the equilibrium payoff."""
        record = self._record
        told = in_own_words(record, {**brief(record, ""), "turns": turns_told(record, self.verified)})
        seats = zip(told["seats"], shares_of_equilibrium(record), strict=True)
        return {**told, "seats": [{**one, "share": share} for one, share in seats]}

    @property
    def shares(self) -> bool:
        """Whether anybody has a share of the equilibrium payoff."""
        return any(one["share"] == one["share"] for one in self.match["seats"])

    @property
    def gain_of(self) -> str:
        """What the gain of this game is."""
        return gain_of(self._record.game)

    @property
    def verified(self) -> bool:
        """Whether all comes out the same when the rules are run again."""
        return not self._found.problems

    @cached_property
    def hidden(self) -> Revealed:
        """What the seat could not know."""
        told = self._found.told
        return Revealed([], set()) if told is None else secrets_of(self._record, told, self.own)

    @property
    def turns(self) -> list[dict[str, Any]]:
        """All moves, each with whether it was ``unseen``."""
        return [{**turn, "unseen": at in self.hidden.unseen} for at, turn in enumerate(self.match["turns"])]

    @property
    def searching(self) -> bool:
        """Whether the best response is still searched for."""
        search = search_of(self._record, self.own)
        return search is not None and not search.done()

    @property
    def hindsight(self) -> str:
        """The best response in hindsight, in words; empty where the game, or this match, has none."""
        search, say = search_of(self._record, self.own), texts().say
        if search is None:
            return ""
        if not search.done():
            return say("end.best_searched")
        best = search.result()
        if best is None:
            return say("end.best_unknown")
        more = best.value - self._record.payoffs[self.own]
        game = find_game(self._record.game)
        told = {"best": paid(game, best.value), "more": paid(game, max(more, 0.0))}
        if more < CENT:
            return say("end.best_yours" if best.exact else "end.best_none", **told)
        return say("end.best" if best.exact else "end.best_least", **told)


def afterwards(record: Record | None, seat: int) -> Afterwards | None:
    """The end card; None while the match goes on, and where it could not be played to its end."""
    failed = record is None or record.status == "failed"
    return None if record is None or failed else Afterwards(record, seat)
