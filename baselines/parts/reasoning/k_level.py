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
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from econzoo.baselines.models.chat import Completion
from econzoo.baselines.parts.reasoning import imagination
from econzoo.baselines.parts.reasoning.request import Asking, Question, Reasoning, Request
from econzoo.envs.core.contract.probing import turns_of
from econzoo.envs.core.contract.validation import Invalid

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
        others = [imagination.seat(question, seat) for seat in imagination.others(diary)]
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
            others = imagination.answering(question, action)
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
