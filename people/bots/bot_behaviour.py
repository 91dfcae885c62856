"""What participants do besides what they are asked: who leaves where and how, who errs, who presses twice."""

from __future__ import annotations

import random
from typing import NamedTuple

CONSENT, INSTRUCTIONS, QUIZ, WAITING, MATCH, MATCH_END, QUESTIONNAIRE, DEBRIEFING = STAGES = (
    *("consent", "instructions", "quiz", "waiting", "match", "play", "questionnaire", "debriefing"),
)
"""Pages as their forms call them; ``play`` is the end of a match, from which one goes on to the next."""

OTHER_PAGE = "other page"
"""A page of questions that is none of these."""

LEAVING_STAGES = (WAITING, MATCH, MATCH_END, QUIZ, INSTRUCTIONS, CONSENT, QUESTIONNAIRE)
"""Where participants leave: first those whom others have to wait for."""

CLOSES, WITHDRAWS, RETURNS = WAYS_TO_LEAVE = ("closes the page", "withdraws", "comes back later")
"""How they leave."""


class BotBehaviour(NamedTuple):
    """What a participant does besides what they are asked.

    Attributes:
        leaves_at: The stage at which they leave; empty: they do not.
        way_to_leave: How, one of `WAYS_TO_LEAVE`.
        errs: Whether they give a wrong answer first, where another attempt is left.
        doubles: Whether they send every form twice.
        offline: Whether their connection is lost during a move.
        reloads: Whether they load the page again before they answer.
        browser: Whether they have a real browser.
    """

    leaves_at: str = ""
    way_to_leave: str = ""
    errs: bool = False
    doubles: bool = False
    offline: bool = False
    reloads: bool = False
    browser: bool = False

    @property
    def description(self) -> str:
        """In words."""
        if self.leaves_at:
            return f"{self.way_to_leave}: {self.leaves_at}"
        names = ("errs", "doubles", "offline", "reloads", "browser")
        return ", ".join(name for name in names if getattr(self, name)) or "plain"


def sample_behaviours(people: int, drop: int, browsers: int, rng: random.Random) -> list[BotBehaviour]:
    """The manners of all participants, in the order in which they come.

    Leavers are spread over the stages and the ways to leave, and over the order of arrival.

    Args:
        people: How many come.
        drop: How many of them leave.
        browsers: How many of the others have a real browser.
        rng: Draws who leaves.
    """
    leavers = sorted(rng.sample(range(people), drop))
    found = [
        BotBehaviour(errs=place % 3 == 1, doubles=place % 4 == 2, offline=place % 5 == 3, reloads=place % 6 == 4)
        for place in range(people)
    ]
    for nth, place in enumerate(rng.sample(leavers, drop)):
        found[place] = BotBehaviour(LEAVING_STAGES[nth % len(LEAVING_STAGES)], WAYS_TO_LEAVE[nth % len(WAYS_TO_LEAVE)])
    stays = [place for place in range(people) if not found[place].leaves_at]
    for place in stays[:: max(1, len(stays) // max(1, browsers))][:browsers]:
        found[place] = BotBehaviour(errs=found[place].errs, browser=True)
    return found
