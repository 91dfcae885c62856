"""The question of another seat, from what the own seat may know.

A game with a `perspective` module says what a seat can tell of another seat's view. From that imagined view, and from
what the own seat saw happen, the other seat's rules, story and question are made as they would be for its player;
UNKNOWN stands where the own seat cannot tell. In a game without such a module the model is asked to put itself in the
other's place, from the own text. Nothing here sees more than the seat does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from econzoo.baselines.models.chat import Message, Schema
from econzoo.baselines.parts.diary import Diary, teller
from econzoo.baselines.parts.reasoning.request import Question, Request
from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.game import Event
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.structured_face import Seen
from econzoo.envs.core.faces.text_face import Teller


@dataclass(frozen=True)
class Imagined:
    """Another seat's question.

    Attributes:
        question: With the conversation as it would be put to that seat.
        seat: Whose.
        legal: What it may do; None where that cannot be told.
        shown: How many of the messages are made for this question.
    """

    question: Question
    seat: int
    legal: Legal | None
    shown: int

    def asked(self, more: str) -> Request:
        """The request to answer in this seat's place, with a text below the question unless it is empty."""
        conversation = self.question.with_text(more) if more else self.question.conversation
        return Request(conversation, self.question.schema, "simulation", self.seat, self.shown)

    def move_in(self, reply: str) -> str:
        """The move of a reply as a player would write it; empty if it cannot be read."""
        if self.legal is None:
            return " ".join(reply.split())
        telling = teller(self.question.diary, self.legal.messages, self.seat)
        action = telling.read(reply, self.legal)
        return "" if isinstance(action, Invalid) else telling.write(action, self.legal)


def others(diary: Diary) -> list[int]:
    """The other seats that are still in the game, as far as the own seat can tell."""
    seats = [seat for seat in range(diary.info.seats) if seat != diary.seat]
    if diary.game.perspective is not None:
        return seats  # whoever is out has nothing to choose, and is not imagined
    events = diary.known().events
    last = {event.seat for event in events if event.round == events[-1].round}
    return [seat for seat in seats if seat in last] if events else seats


def seat(question: Question, other: int) -> Imagined | None:
    """Another seat's question of this round; None if it has no move."""
    diary = question.diary
    perspective, seen = diary.game.perspective, diary.known()
    if perspective is None:
        return _in_their_place(question, "level.in_their_place", other, seen.legal, question.schema)
    return _imagined(question, perspective.imagined(seen.view, other), seen.events)


def answering(question: Question, action: Any) -> list[Imagined]:
    """The questions of the other seats that would answer an own move."""
    diary = question.diary
    perspective, seen = diary.game.perspective, diary.known()
    actions, seats = diary.game.actions, others(diary)
    if perspective is None:
        move = diary.teller.write(action, seen.legal)
        return [_in_their_place(question, "level.in_their_place_after", other, None, None, move) for other in seats]
    views = [perspective.replying(seen.view, actions.move(action), other) for other in seats]
    events = (*seen.events, Event(diary.seat, diary.round, action, moment=_next(seen.events)))
    found = [_imagined(question, view, events) for view in views if view is not None]
    return [one for one in found if one is not None]


def _next(events: tuple[Event, ...]) -> int:
    """The moment after these events."""
    return events[-1].moment + 1 if events else 1


def _in_their_place(
    question: Question, name: str, other: int, legal: Legal | None, schema: Schema | None, move: str = ""
) -> Imagined:
    diary = question.diary
    text = diary.texts[name].format(role=diary.roles[other], move=move)
    return Imagined(Question(diary, question.with_text(text), schema), other, legal, 1)


def _imagined(question: Question, view: Any, events: tuple[Event, ...]) -> Imagined | None:
    diary = question.diary
    perspective: Any = diary.game.perspective
    own, (kinds, bounds) = diary.known(), perspective.options(view)
    if not any(kinds):
        return None
    speaks = getattr(perspective, "speaks", None)
    messages = speaks(own.view, view.seat) if speaks else diary.info.messages
    legal = Legal(kinds, bounds, messages, None, own.legal.longest)
    witnessed = getattr(perspective, "witnessed", None)
    seen = Seen(view, legal, witnessed(view, events) if witnessed else events, None)
    telling = teller(diary, messages, view.seat)
    schema = None if question.schema is None else telling.words.json_schema(legal)
    return Imagined(Question(diary, _conversation(telling, seen), schema), view.seat, legal, 2)


def _conversation(telling: Teller, seen: Seen) -> list[Message]:
    """Rules, and story with question, as the other seat would read them."""
    asked = f"{telling.story(seen)}{telling.question(seen)}"
    return [{"role": "system", "content": telling.rules(seen.view)}, {"role": "user", "content": asked}]
