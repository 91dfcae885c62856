"""How long programs seem to think where participants are not to know them: an answer at once would give them away."""

from __future__ import annotations

import random
import time
from threading import Timer
from typing import Any

from econzoo.people.table.player_threads import Desk, Question

PACE = (2.0, 7.0)
"""Seconds that the answer of a program takes at least and at most, if it is not slower by itself."""

TOGETHER = 0.05
"""Programs that are asked within so many seconds after another has answered are not waited for once more."""


class PacedDesk(Desk):
    """Has the players of one match asked at another desk, and hands their answers on after a while.

    Args:
        desk: Where they are asked.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk, self._handed_on = desk, -TOGETHER
        self._random = random.Random()  # of no effect on what is played: no seed

    def ask(self, question: Question) -> None:
        """Returns at once."""
        heard = question.heard
        pause = self._random.uniform(*PACE) if question.since - self._handed_on >= TOGETHER else 0.0

        def hand_on(asked: Question, reply: Any, seconds: float) -> None:
            self._handed_on = time.monotonic()
            heard(asked, reply, seconds)

        def later(asked: Question, reply: Any, seconds: float) -> None:
            left = pause - (time.monotonic() - asked.since)
            if left <= 0:
                hand_on(asked, reply, seconds)
                return
            timer = Timer(left, hand_on, (asked, reply, seconds))
            timer.daemon = True
            timer.start()

        question.heard = later
        self._desk.ask(question)
