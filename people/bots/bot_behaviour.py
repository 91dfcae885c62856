"""Deviant behaviour of bots: dropout, wrong answers, double clicks, lost connections, reloads."""

from __future__ import annotations

import random
from typing import NamedTuple

CONSENT, INSTRUCTIONS, QUIZ, WAITING, MATCH, MATCH_END, QUESTIONNAIRE, DEBRIEFING = STAGES = (
    *("consent", "instructions", "quiz", "waiting", "match", "play", "questionnaire", "debriefing"),
)
"""Stages by the names of their forms; ``play`` is the end of a match."""

OTHER_PAGE = "other page"
"""Any other page with questions."""

LEAVING_STAGES = (WAITING, MATCH, MATCH_END, QUIZ, INSTRUCTIONS, CONSENT, QUESTIONNAIRE)
"""Stages of dropout, beginning with those at which others wait."""

CLOSES, WITHDRAWS, RETURNS = WAYS_TO_LEAVE = ("closes the page", "withdraws", "comes back later")


class BotBehaviour(NamedTuple):
    """Deviant behaviour of a bot.

    Attributes:
        leaves_at: Stage of dropout; empty: none.
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
        """The behaviour as text."""
        if self.leaves_at:
            return f"{self.way_to_leave}: {self.leaves_at}"
        names = ("errs", "doubles", "offline", "reloads", "browser")
        return ", ".join(name for name in names if getattr(self, name)) or "plain"


def sample_behaviours(people: int, drop: int, browsers: int, rng: random.Random) -> list[BotBehaviour]:
    """Return the behaviour of each bot, in order of arrival.

    Dropouts are spread over stages, ways to leave, and the order of arrival.
    """
    leavers = sorted(rng.sample(range(people), drop))
    # Different periods: the first five bots show every deviation, later ones their combinations.
    found = [
        BotBehaviour(errs=place % 3 == 1, doubles=place % 4 == 2, offline=place % 5 == 3, reloads=place % 6 == 4)
        for place in range(people)
    ]
    # Seven stages and three ways have no common divisor: 21 dropouts show all combinations.
    for nth, place in enumerate(rng.sample(leavers, drop)):
        found[place] = BotBehaviour(LEAVING_STAGES[nth % len(LEAVING_STAGES)], WAYS_TO_LEAVE[nth % len(WAYS_TO_LEAVE)])
    stays = [place for place in range(people) if not found[place].leaves_at]
    # Spread over the order of arrival.
    for place in stays[:: max(1, len(stays) // max(1, browsers))][:browsers]:
        found[place] = BotBehaviour(errs=found[place].errs, browser=True)
    return found
