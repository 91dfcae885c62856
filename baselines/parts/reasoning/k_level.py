"""K-level reasoning: think as the others think (Zhang et al. 2024, arXiv:2402.01521; Nagel 1995 for the theory).

All seats choose at once. The level-1 move of every seat is what the model does when it is simply asked in that
seat's place, each in a conversation of its own, made from that seat's view. The level-l move of a seat is what the
model does there when it is shown the level-(l - 1) moves of all the others, own ones included. All moves of a level
are replaced together. The player answers to the level-k moves of the others, so it plays at level k + 1.

With m others in the game that is m simulations at the last level and m + 1 at each level before (the own seat is
simulated too), k (m + 1) - 1 in all, and the answer.

Seats take turns. The model makes a tentative move, is asked in the place of each other seat that would answer it, and
is shown the answers; k times, each with a new tentative move. Where nobody would answer (an acceptance ends the game,
say), the first tentative move is the answer. That is k (1 + m) calls and the answer, or one call.

The published code calls two of these levels "K = 1" and "K = 2" (the latter is level 1 here), and mixes them.

The question of another seat is made from what the own seat may know. A game with a `perspective` module says what a
seat can tell of another seat's view. From that imagined view, and from what the own seat saw happen, the other seat's
rules, story and question are made as they would be for its player; UNKNOWN stands where the own seat cannot tell. In a
game without such a module the model is asked to put itself in the other's place, from the own text. Nothing here sees
more than the seat does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econzoo.baselines.models.chat import Completion, Message, Schema
from econzoo.baselines.parts.diary import Diary, teller
from econzoo.baselines.parts.reasoning.request import Asking, Question, Reasoning, Request
from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.contract.game import Event
from econzoo.envs.core.contract.probing import turns_of
from econzoo.envs.core.contract.validation import Invalid
from econzoo.envs.core.faces.structured_face import Seen
from econzoo.envs.core.faces.text_face import Teller

Moves = Mapping[int, str]
"""Seat to its move in words, of one level; a reply that could not be read leaves its seat out."""


class KLevel(Reasoning):
    """Answers to simulated moves of the others; see the module.

    Args:
        level: k, >= 1.
    """

    needs_seen = True

    def __init__(self, level: int = 1) -> None:
        self.level = level

    def turn(self, question: Question) -> Asking[Completion]:
        """The simulations, then the answer."""
        if not turns_of(question.diary.game).alone:
            return (yield from self._at_once(question))
        return (yield from self._in_turns(question))

    def _at_once(self, question: Question) -> Asking[Completion]:
        diary = question.diary
        others = [question_of(question, seat) for seat in other_seats(diary)]
        moves: Moves = {}
        for level in range(1, self.level + 1):
            found = {}
            for one in (one for one in others if one is not None):
                reply = yield one.asked(_told(question, "level.predictions", moves, leaving_out=one.seat))
                found[one.seat] = one.move_in(reply.text)
            if level < self.level:
                reply = yield _own(question, moves)._replace(purpose="simulation", about=diary.seat)
                found[diary.seat] = _own_move(question, reply.text)
            moves = {seat: move for seat, move in found.items() if move}
        return (yield _own(question, moves))

    def _in_turns(self, question: Question) -> Asking[Completion]:
        text = ""
        for _ in range(self.level):
            tentative = yield question.answer(_below(question, text), "draft")
            action = _action(question, tentative.text)
            if action is None:
                return tentative
            others = questions_after(question, action)
            if not others:
                return tentative
            found = {}
            for one in others:
                reply = yield one.asked("")
                found[one.seat] = one.move_in(reply.text) or reply.text.strip()
            text = _told(question, "level.reply", found, move=_written(question, action))
        return (yield question.answer(_below(question, text)))


def _own(question: Question, moves: Moves) -> Request:
    told = _told(question, "level.predictions", moves, leaving_out=question.diary.seat)
    return question.answer(_below(question, told))


def _below(question: Question, text: str) -> Any:
    return question.with_text(text) if text else question.conversation


def _told(question: Question, name: str, moves: Moves, leaving_out: int | None = None, **fields: str) -> str:
    """The moves as a text; empty if there are none."""
    texts, roles = question.diary.texts, question.diary.roles
    lines = [
        texts["level.prediction"].format(role=roles[seat], move=move)
        for seat, move in sorted(moves.items())
        if seat != leaving_out
    ]
    return texts[name].format(predictions="\n".join(lines), **fields) if lines else ""


def _action(question: Question, reply: str) -> Any:
    """The typed move of an own reply, or None."""
    action = question.diary.teller.read(reply, question.diary.known().legal)
    return None if isinstance(action, Invalid) else action


def _own_move(question: Question, reply: str) -> str:
    action = _action(question, reply)
    return "" if action is None else _written(question, action)


def _written(question: Question, action: Any) -> str:
    return question.diary.teller.write(action, question.diary.known().legal)


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


def other_seats(diary: Diary) -> list[int]:
    """The other seats that are still in the game, as far as the own seat can tell."""
    seats = [seat for seat in range(diary.info.seats) if seat != diary.seat]
    if diary.game.perspective is not None:
        return seats  # whoever is out has nothing to choose, and is not imagined
    events = diary.known().events
    last = {event.seat for event in events if event.round == events[-1].round}
    return [seat for seat in seats if seat in last] if events else seats


def question_of(question: Question, other: int) -> Imagined | None:
    """Another seat's question of this round; None if it has no move."""
    diary = question.diary
    perspective, seen = diary.game.perspective, diary.known()
    if perspective is None:
        return _in_their_place(question, "level.in_their_place", other, seen.legal, question.schema)
    return _imagined(question, perspective.imagined(seen.view, other), seen.events)


def questions_after(question: Question, action: Any) -> list[Imagined]:
    """The questions of the other seats that would answer an own move."""
    diary = question.diary
    perspective, seen = diary.game.perspective, diary.known()
    actions, seats = diary.game.actions, other_seats(diary)
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
