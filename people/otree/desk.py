"""Players that are asked where nothing runs between two requests: at once, or when a person might have answered."""

from __future__ import annotations

import random
import time

from econzoo.people.otree.match_text import Held
from econzoo.people.participation import pace
from econzoo.people.table.player_threads import Desk, Question, have_answered

PROGRAMS = -2
"""In place of a seat: when programs were asked, by the number of turns before."""


class Counter(Desk):
    """Keeps questions until they are served.

    Args:
        held: The match, which keeps since when programs think.
        paced: Whether an answer comes after a while, as one of a person would.
    """

    def __init__(self, held: Held, paced: bool) -> None:
        super().__init__()
        self._held, self._paced = held, paced
        self._asked: list[Question] = []

    def ask(self, question: Question) -> None:
        """Returns at once."""
        self._asked.append(question)

    def serve(self, turns: int) -> None:
        """Has those answered who may answer now, and whoever is asked thereupon.

        Args:
            turns: Played so far.
        """
        if self._asked and self._paced and time.time() < self._due(turns):
            return
        while self._asked:
            question = self._asked.pop(0)
            if not question.dropped:
                have_answered([question])

    def _due(self, turns: int) -> float:
        """When the answer of a program may be there that was asked after so many turns."""
        self._held.happened(self._held.id, PROGRAMS, turns, time.time())
        asked = self._held.moments(self._held.id)[PROGRAMS, turns]
        return asked + random.Random(f"{self._held.id}/{turns}").uniform(*pace.PACE)
