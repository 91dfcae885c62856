"""What participants do besides what they are asked: who leaves where and how, who errs, who presses twice."""

from __future__ import annotations

import random
from typing import NamedTuple

CONSENT, INSTRUCTIONS, QUIZ, WAITING, MATCH, BETWEEN, QUESTIONNAIRE, DEBRIEFING = STAGES = (
    *("consent", "instructions", "quiz", "waiting", "match", "play", "questionnaire", "debriefing"),
)
"""Pages as their forms call them; ``play`` is the end of a match, from which one goes on to the next."""

OTHER = "other page"
"""A page of questions that is none of these."""

LEAVING = (WAITING, MATCH, BETWEEN, QUIZ, INSTRUCTIONS, CONSENT, QUESTIONNAIRE)
"""Where participants leave: first those whom others have to wait for."""

CLOSES, WITHDRAWS, RETURNS = WAYS = ("closes the page", "withdraws", "comes back later")
"""How they leave."""


class Manner(NamedTuple):
    """What a participant does besides what they are asked.

    Attributes:
        leaves: The stage at which they leave; empty: they do not.
        way: How, one of `WAYS`.
        errs: Whether they give a wrong answer first, where another attempt is left.
        doubles: Whether they send every form twice.
        offline: Whether their connection is lost during a move.
        reloads: Whether they load the page again before they answer.
        browser: Whether they have a real browser.
    """

    leaves: str = ""
    way: str = ""
    errs: bool = False
    doubles: bool = False
    offline: bool = False
    reloads: bool = False
    browser: bool = False

    @property
    def told(self) -> str:
        """In words."""
        if self.leaves:
            return f"{self.way}: {self.leaves}"
        names = ("errs", "doubles", "offline", "reloads", "browser")
        return ", ".join(name for name in names if getattr(self, name)) or "plain"


def manners(people: int, drop: int, browsers: int, luck: random.Random) -> list[Manner]:
    """The manners of all participants, in the order in which they come.

    Leavers are spread over the stages and the ways to leave, and over the order of arrival.

    Args:
        people: How many come.
        drop: How many of them leave.
        browsers: How many of the others have a real browser.
        luck: Draws who leaves.
    """
    leavers = sorted(luck.sample(range(people), drop))
    found = [
        Manner(errs=place % 3 == 1, doubles=place % 4 == 2, offline=place % 5 == 3, reloads=place % 6 == 4)
        for place in range(people)
    ]
    for nth, place in enumerate(luck.sample(leavers, drop)):
        found[place] = Manner(LEAVING[nth % len(LEAVING)], WAYS[nth % len(WAYS)])
    stays = [place for place in range(people) if not found[place].leaves]
    for place in stays[:: max(1, len(stays) // max(1, browsers))][:browsers]:
        found[place] = Manner(errs=found[place].errs, browser=True)
    return found
