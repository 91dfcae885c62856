"""K-level reasoning (Zhang et al. 2024, arXiv:2402.01521; Nagel 1995 for the theory).

Simultaneous moves. The level-1 move of every seat is the model's reply in that seat's place, in a conversation of its
own from that seat's view. The level-l move of a seat is its reply given the level-(l - 1) moves of all others,
including the own seat. All moves of a level are updated together. The player responds to the level-k moves of the
others, so it plays at level k + 1.

With m others this takes m simulations at the last level and m + 1 at each earlier level (including the own seat),
k (m + 1) - 1 in total, and the answer.

Sequential moves. The model makes a tentative move, replies in the place of each seat that would respond to it, and sees
the responses; k times, each with a new tentative move. If nobody would respond (after an acceptance, say), the first
tentative move is the answer. This takes k (1 + m) calls and the answer, or one call.

The published code calls two of these levels "K = 1" and "K = 2" (the latter is level 1 here), and mixes them.

Questions of other seats only use the own seat's information. A game's `perspective` module infers another seat's view,
with UNKNOWN for private information. From this view and the observed events, the other seat's rules, history and
question are rendered as for its player. In a game without this module the model is asked to put itself in the other's
place, based on its own prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econzoo.baselines.models import Completion, Message, Schema
from econzoo.baselines.parts import Diary, teller
from econzoo.baselines.parts.reasoning.request import Question, Reasoning, Request, RequestGenerator
from econzoo.envs.core.contract import Event, Invalid, Legal, turns_of
from econzoo.envs.core.faces import InformationState, Teller

Moves = Mapping[int, str]
"""Moves of one level as text by seat, without seats whose reply was invalid."""


class KLevel(Reasoning):
    """Responds to simulated moves of the others; see the module.

    Args:
        level: Number of levels k, >= 1.
    """

    needs_seen = True

    def __init__(self, level: int = 1) -> None:
        self.level = level

    def turn(self, question: Question) -> RequestGenerator[Completion]:
        """Request the simulations, then the answer."""
        if not turns_of(question.diary.game).has_single_moves:
            return (yield from self._simulate_simultaneous(question))
        return (yield from self._simulate_sequential(question))

    def _simulate_simultaneous(self, question: Question) -> RequestGenerator[Completion]:
        diary = question.diary
        others = [question_of(question, seat) for seat in other_seats(diary)]
        moves: Moves = {}
        for level in range(1, self.level + 1):
            replies = {}
            for one in (one for one in others if one is not None):
                reply = yield one.request(_format_moves(question, "level.predictions", moves, leaving_out=one.seat))
                replies[one.seat] = one.move_in(reply.text)
            if level < self.level:
                reply = yield _own_request(question, moves)._replace(purpose="simulation", about_seat=diary.seat)
                replies[diary.seat] = _parse_own_move(question, reply.text)
            # Replaced only now, so that all replies of a level are to the level below.
            moves = {seat: move for seat, move in replies.items() if move}
        return (yield _own_request(question, moves))

    def _simulate_sequential(self, question: Question) -> RequestGenerator[Completion]:
        text = ""
        for _ in range(self.level):
            tentative = yield question.answer(_append_text(question, text), "draft")
            action = _action(question, tentative.text)
            if action is None:
                return tentative
            others = questions_after(question, action)
            if not others:
                return tentative
            replies = {}
            for one in others:
                reply = yield one.request("")
                replies[one.seat] = one.move_in(reply.text) or reply.text.strip()
            text = _format_moves(question, "level.reply", replies, move=_format_action(question, action))
        return (yield question.answer(_append_text(question, text)))


def _own_request(question: Question, moves: Moves) -> Request:
    text = _format_moves(question, "level.predictions", moves, leaving_out=question.diary.seat)
    return question.answer(_append_text(question, text))


def _append_text(question: Question, text: str) -> Any:
    return question.with_text(text) if text else question.conversation


def _format_moves(question: Question, name: str, moves: Moves, leaving_out: int | None = None, **fields: str) -> str:
    """Format moves as text; empty without moves."""
    texts, roles = question.diary.texts, question.diary.roles
    lines = [
        texts["level.prediction"].format(role=roles[seat], move=move)
        for seat, move in sorted(moves.items())
        if seat != leaving_out
    ]
    return texts[name].format(predictions="\n".join(lines), **fields) if lines else ""


def _action(question: Question, reply: str) -> Any:
    """Parse an own reply into an action, or None."""
    action = question.diary.teller.read(reply, question.diary.require_seen().legal)
    return None if isinstance(action, Invalid) else action


def _parse_own_move(question: Question, reply: str) -> str:
    action = _action(question, reply)
    return "" if action is None else _format_action(question, action)


def _format_action(question: Question, action: Any) -> str:
    return question.diary.teller.write(action, question.diary.require_seen().legal)


@dataclass(frozen=True)
class SimulatedQuestion:
    """Simulated question of another seat.

    Attributes:
        legal: Legal moves of the seat; None if unknown.
        prompt_messages: Number of last messages that are specific to this question.
    """

    question: Question
    seat: int
    legal: Legal | None
    prompt_messages: int

    def request(self, more: str) -> Request:
        """Return the request to answer in this seat's place, with optional text below the question."""
        conversation = self.question.with_text(more) if more else self.question.conversation
        return Request(conversation, self.question.schema, "simulation", self.seat, self.prompt_messages)

    def move_in(self, reply: str) -> str:
        """Return the move of a reply in canonical form; empty if it is invalid."""
        if self.legal is None:
            return " ".join(reply.split())
        renderer = teller(self.question.diary, self.legal.messages, self.seat)
        action = renderer.read(reply, self.legal)
        return "" if isinstance(action, Invalid) else renderer.write(action, self.legal)


def other_seats(diary: Diary) -> list[int]:
    """Return the other seats still in the game, as far as known."""
    seats = [seat for seat in range(diary.info.seats) if seat != diary.seat]
    if diary.game.perspective is not None:
        return seats  # eliminated seats have no moves and are not simulated
    events = diary.require_seen().events
    last = {event.seat for event in events if event.round == events[-1].round}
    return [seat for seat in seats if seat in last] if events else seats


def question_of(question: Question, other: int) -> SimulatedQuestion | None:
    """Return another seat's question of this round; None if it has no move."""
    diary = question.diary
    perspective, seen = diary.game.perspective, diary.require_seen()
    if perspective is None:
        return _make_simulated(question, "level.in_their_place", other, seen.legal, question.schema)
    return _simulate_question(question, perspective.infer_view(seen.view, other), seen.events)


def questions_after(question: Question, action: Any) -> list[SimulatedQuestion]:
    """Return the questions of the other seats that would respond to an own move."""
    diary = question.diary
    perspective, seen = diary.game.perspective, diary.require_seen()
    actions, seats = diary.game.actions, other_seats(diary)
    if perspective is None:
        move = diary.teller.write(action, seen.legal)
        return [_make_simulated(question, "level.in_their_place_after", other, None, None, move) for other in seats]
    views = [perspective.infer_reply_view(seen.view, actions.move(action), other) for other in seats]
    events = (*seen.events, Event(diary.seat, diary.round, action, moment=_next_moment(seen.events)))
    questions = [_simulate_question(question, view, events) for view in views if view is not None]
    return [one for one in questions if one is not None]


def _next_moment(events: tuple[Event, ...]) -> int:
    """Return the moment after these events."""
    return events[-1].moment + 1 if events else 1


def _make_simulated(
    question: Question, name: str, other: int, legal: Legal | None, schema: Schema | None, move: str = ""
) -> SimulatedQuestion:
    diary = question.diary
    text = diary.texts[name].format(role=diary.roles[other], move=move)
    return SimulatedQuestion(Question(diary, question.with_text(text), schema), other, legal, 1)


def _simulate_question(question: Question, view: Any, events: tuple[Event, ...]) -> SimulatedQuestion | None:
    diary = question.diary
    perspective: Any = diary.game.perspective
    own, (kinds, bounds) = diary.require_seen(), perspective.options(view)
    if not any(kinds):
        return None
    speaks = getattr(perspective, "speaks", None)
    messages = speaks(own.view, view.seat) if speaks else diary.info.messages
    legal = Legal(kinds, bounds, messages, None, own.legal.max_message)
    visible = getattr(perspective, "visible_events", None)
    seen = InformationState(view, legal, visible(view, events) if visible else events, None)
    renderer = teller(diary, messages, view.seat)
    schema = None if question.schema is None else renderer.words.json_schema(legal)
    return SimulatedQuestion(Question(diary, _conversation(renderer, seen), schema), view.seat, legal, 2)


def _conversation(renderer: Teller, seen: InformationState) -> list[Message]:
    """Return rules, and history with question, as the other seat would read them."""
    prompt = f"{renderer.story(seen)}{renderer.question(seen)}"
    return [{"role": "system", "content": renderer.rules(seen.view)}, {"role": "user", "content": prompt}]
