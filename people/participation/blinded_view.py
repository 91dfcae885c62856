"""Participants' view of a match, which never reveals whether others are people or programs."""

from __future__ import annotations

import random
import time
from threading import Timer
from typing import Any

from econzoo.envs.core.record import Turn
from econzoo.people.server import texts
from econzoo.people.study import payoff_for_bonus
from econzoo.people.table import DEFAULT, FORFEIT, REPLACE, Absence, Desk, LiveMatch, Question, Seat, SeatView

ANSWER_DELAY = (2.0, 7.0)
"""Range of the minimum delay of a program's answer, in seconds."""

SAME_MOMENT = 0.05
"""A program asked within this many seconds of another's answer is not delayed again."""


OTHER_LEFT_TEXTS = {DEFAULT: "study.left_default", FORFEIT: "study.left_forfeit", REPLACE: "study.left_replace"}
"""Dropout policy to the notice for the other players."""


class DelayedDesk(Desk):
    """Delays the answers of the players of one match."""

    def __init__(self, desk: Desk, speed: float = 1.0) -> None:
        self._desk, self._last_delivery, self._speed = desk, -SAME_MOMENT, speed
        self._random = random.Random()  # unseeded: it does not affect moves

    def ask(self, question: Question) -> None:
        """Ask a player without blocking."""
        on_answer = question.on_answer
        pause = (
            self._random.uniform(*ANSWER_DELAY) / self._speed
            if question.since - self._last_delivery >= SAME_MOMENT
            else 0.0
        )

        def deliver(answered: Question, reply: Any, seconds: float) -> None:
            self._last_delivery = time.monotonic()
            on_answer(answered, reply, seconds)

        def deliver_later(answered: Question, reply: Any, seconds: float) -> None:
            # A minimum: the time that the player took is a part of it, so slow ones are not delayed further.
            left = pause - (time.monotonic() - answered.since)
            if left <= 0:
                deliver(answered, reply, seconds)
                return
            timer = Timer(left, deliver, (answered, reply, seconds))
            timer.daemon = True
            timer.start()

        question.on_answer = deliver_later
        self._desk.ask(question)


class BlindedSeatView(SeatView):
    """View of a seat in a study, independent of who the others are."""

    def __init__(self, live: LiveMatch, seat: Seat) -> None:
        super().__init__(live, seat)
        self.thinking = None  # would reveal programs

    @property
    def _state(self) -> str:
        """State of the page; it does not depend on who is to move."""
        left = len(self._live.deserted_seats)
        return f"{len(self._live.visible_turns)}.{len(self.person.history)}.{int(self.is_done)}.{left}"

    @property
    def is_done(self) -> bool:
        return self.record is not None or bool(self.leave_notice) or bool(self.trouble)

    @property
    def waiting_text(self) -> str:
        """Notice while waiting for the others."""
        return "" if self.open_question or self.is_done else texts().say("study.others_move", count=len(self.roles) - 1)

    @property
    def payoff_value(self) -> float | None:
        """Payoff of this seat; None: not over yet."""
        paid = self.record.payoffs if self.record is not None else []
        return paid[self._seat.seat] if paid else self.person.payoff

    @property
    def bonus_payoff(self) -> float | None:
        """Payoff that counts for the bonus; None: none."""
        return (
            None if self.record is None else payoff_for_bonus(self.record, self._seat.seat, self._live.deserted_seats)
        )

    @property
    def policy(self) -> str:
        """Rule after a timeout, as text."""
        return texts().say("study.taken_over") if self._live.terms.policy == REPLACE else super().policy

    @property
    def leave_notice(self) -> str:
        """Notice that the participant has left the match; empty: still playing."""
        own = self._seat.seat
        if any(one.seat == own and one.is_permanent for one in self._live.absences):
            return texts().say("study.you_replaced")
        return ""

    @property
    def departure_notices(self) -> list[str]:
        """Notices about others who have left the match."""
        key = OTHER_LEFT_TEXTS[self._live.terms.policy]
        return [texts().say(key, role=self.roles[seat]) for seat in sorted(self.absent_seats)]

    @property
    def absent_seats(self) -> set[int]:
        """Seats of others who have left, while this seat still plays."""
        return set() if self.is_done else set(self._live.deserted_seats) - {self._seat.seat}

    @property
    def may_end(self) -> bool:
        """Whether this seat may end the match early because all others have left."""
        return self._live.is_deserted(self._seat.seat)

    @property
    def trouble(self) -> str:
        """Notice that the match cannot continue, without the cause."""
        return texts().say("study.stuck") if super().trouble else ""

    @property
    def rematch_link(self) -> str:
        """No rematch, because matches are planned."""
        return ""

    def _replacement_note(self, absence: Absence) -> str:
        return texts().say("study.other_replaced", role=self.roles[absence.seat])

    def _no_answer_note(self, turn: Turn) -> str:
        key = "study.other_default" if turn.default else "study.other_forfeited"
        return texts().say(key, round=turn.round, role=self.roles[turn.seat])
