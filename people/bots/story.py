"""What a participant has seen and done, for the verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from econzoo.people.bots.bot_behaviour import BotBehaviour
from econzoo.people.bots.http_browser import PageLoad


class Stay(NamedTuple):
    """Some time on one page, which was open.

    Attributes:
        stage: One of `STAGES`, or `OTHER_PAGE`.
        match: Which match it belongs to, from 0.
        began: When it was shown, on the clock of the test, in seconds.
        ended: When it was answered, or another one came by itself.
    """

    stage: str
    match: int
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        """How long."""
        return self.ended - self.began


PRACTICE_MATCH = -1
"""Number of all matches of practice, which are in no table."""


@dataclass
class Story:
    """What a participant has seen and done.

    Attributes:
        name: Their label.
        behaviour: What they do besides what they are asked.
        stays: On pages, in order.
        moves: Match to the kinds of the moves that were taken, in order.
        uncertain_moves: Match to the number of moves of which they do not know whether they were taken.
        payoffs: Match to the payoff that was shown at its end.
        answers: Name of an input of the questionnaire to what was given.
        final_page_texts: What the last page tells, by its test id: code, bonus, sum.
        has_ended: Whether they reached a page from which nothing leads on.
        is_away: Whether their page is closed for a while.
        has_left: Whether they have closed the page for good.
        problems: What must not have happened.
        page_loads: What they waited for.
    """

    name: str
    behaviour: BotBehaviour
    stays: list[Stay] = field(default_factory=list)
    moves: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    uncertain_moves: Counter[int] = field(default_factory=Counter)
    payoffs: dict[int, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    final_page_texts: dict[str, str] = field(default_factory=dict)
    has_ended: bool = False
    is_away: bool = False
    has_left: bool = False
    problems: list[str] = field(default_factory=list)
    page_loads: list[PageLoad] = field(default_factory=list)

    def record_stay(self, stage: str, match: int, now: float) -> None:
        """They are on a page now."""
        if not self.stays or self.is_away or self.stays[-1][:2] != (stage, match):
            self.stays.append(Stay(stage, match, now, now))
        self.stays[-1] = self.stays[-1]._replace(ended=now)
        self.is_away = False

    @property
    def played_matches(self) -> set[int]:
        """Matches in which they were, but those of practice."""
        return {one.match for one in self.stays if one.stage == "match" and one.match != PRACTICE_MATCH}
