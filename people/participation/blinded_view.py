"""What participants see of a match: never whether somebody else is a person or a program."""

from __future__ import annotations

import random
import time
from threading import Timer
from typing import TYPE_CHECKING, Any

from econzoo.envs.core.record.record import Turn
from econzoo.people.server.site import texts
from econzoo.people.study.roster import payoff_for_bonus
from econzoo.people.table.player_threads import Desk, Question
from econzoo.people.table.seat_view import SeatView
from econzoo.people.table.store import Seat
from econzoo.people.table.terms import DEFAULT, FORFEIT, REPLACE, Absence

if TYPE_CHECKING:
    from econzoo.people.table.live import LiveMatch

ANSWER_DELAY = (2.0, 7.0)
"""Seconds that the answer of a program takes at least and at most, if it is not slower by itself."""

SAME_MOMENT = 0.05
"""Programs that are asked within so many seconds after another has answered are not waited for once more."""


OTHER_LEFT_TEXTS = {DEFAULT: "study.left_default", FORFEIT: "study.left_forfeit", REPLACE: "study.left_replace"}
"""Policy to the text that says that somebody has left, and what follows."""


class DelayedDesk(Desk):
    """Has the players of one match asked at another desk, and hands their answers on after a while.

    Args:
        desk: Where they are asked.
        speed: See `econzoo.people.study.declaration.Study`.
    """

    def __init__(self, desk: Desk, speed: float = 1.0) -> None:
        self._desk, self._last_delivery, self._speed = desk, -SAME_MOMENT, speed
        self._random = random.Random()  # of no effect on what is played: no seed

    def ask(self, question: Question) -> None:
        """Returns at once."""
        heard = question.on_answer
        pause = (
            self._random.uniform(*ANSWER_DELAY) / self._speed
            if question.since - self._last_delivery >= SAME_MOMENT
            else 0.0
        )

        def hand_on(asked: Question, reply: Any, seconds: float) -> None:
            self._last_delivery = time.monotonic()
            heard(asked, reply, seconds)

        def later(asked: Question, reply: Any, seconds: float) -> None:
            left = pause - (time.monotonic() - asked.since)
            if left <= 0:
                hand_on(asked, reply, seconds)
                return
            timer = Timer(left, hand_on, (asked, reply, seconds))
            timer.daemon = True
            timer.start()

        question.on_answer = later
        self._desk.ask(question)


class BlindedSeatView(SeatView):
    """The page of a seat in a study; nothing on it depends on who the others are.

    Args:
        live: The match.
        seat: The seat.
    """

    def __init__(self, live: LiveMatch, seat: Seat) -> None:
        super().__init__(live, seat)
        self.thinking = None  # programs think, and people do not

    @property
    def _state(self) -> str:
        """Changes when there is something to read: not with who is awaited."""
        left = len(self._live.deserted_seats)
        return f"{len(self._live.visible_turns)}.{len(self.person.history)}.{int(self.is_done)}.{left}"

    @property
    def is_done(self) -> bool:
        """Whether this seat has nothing more to do here."""
        return self.record is not None or bool(self.leave_notice) or bool(self.trouble)

    @property
    def waiting_text(self) -> str:
        """That the others are awaited, whoever they are."""
        return "" if self.open_question or self.is_done else texts().say("study.others_move", count=len(self.roles) - 1)

    @property
    def payoff_value(self) -> float | None:
        """This seat's own payoff; None: its game is not over."""
        paid = self.record.payoffs if self.record is not None else []
        return paid[self._seat.seat] if paid else self.person.payoff

    @property
    def bonus_payoff(self) -> float | None:
        """That payoff, if it counts for the bonus; else None."""
        return (
            None if self.record is None else payoff_for_bonus(self.record, self._seat.seat, self._live.deserted_seats)
        )

    @property
    def policy(self) -> str:
        """What follows if no answer comes, in words."""
        return texts().say("study.taken_over") if self._live.terms.policy == REPLACE else super().policy

    @property
    def leave_notice(self) -> str:
        """Why the participant does not play any more; empty: they do."""
        own = self._seat.seat
        if any(one.seat == own and one.is_permanent for one in self._live.absences):
            return texts().say("study.you_replaced")
        return ""

    @property
    def departure_notices(self) -> list[str]:
        """Who has left a match that this seat still plays, and what follows."""
        told = OTHER_LEFT_TEXTS[self._live.terms.policy]
        return [texts().say(told, role=self.roles[seat]) for seat in sorted(self.absent_seats)]

    @property
    def absent_seats(self) -> set[int]:
        """Seats of others who have left a match that this seat still plays."""
        return set() if self.is_done else set(self._live.deserted_seats) - {self._seat.seat}

    @property
    def may_end(self) -> bool:
        """Whether this seat may end the match early: nobody else plays in it any more."""
        return self._live.is_deserted(self._seat.seat)

    @property
    def trouble(self) -> str:
        """That the match cannot go on, and nothing of why."""
        return texts().say("study.stuck") if super().trouble else ""

    @property
    def rematch_link(self) -> str:
        """Nothing: matches are those of the plan."""
        return ""

    def _replacement_note(self, absence: Absence) -> str:
        return texts().say("study.other_replaced", role=self.roles[absence.seat])

    def _no_answer_note(self, turn: Turn) -> str:
        told = "study.other_default" if turn.default else "study.other_forfeited"
        return texts().say(told, round=turn.round, role=self.roles[turn.seat])
