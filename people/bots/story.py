"""Observations and actions of a bot, for the checks after a test."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from econzoo.people.bots.bot_behaviour import BotBehaviour
from econzoo.people.bots.http_browser import PageLoad


class Stay(NamedTuple):
    """A stay on an open page; times in seconds on the clock of the test.

    Attributes:
        stage: One of `STAGES`, or `OTHER_PAGE`.
        match: Index of the match, from 0, or `PRACTICE_MATCH`.
    """

    stage: str
    match: int
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began


PRACTICE_MATCH = -1
"""Index of practice matches, which are not in the randomisation table."""


@dataclass
class Story:
    """Observations and actions of a bot; matches are numbered from 0.

    Attributes:
        moves: Kinds of the accepted moves of each match, in order.
        uncertain_moves: Number of moves of each match that may have been accepted or not.
        payoffs: Payoff of each match as displayed at its end.
        answers: Input of the questionnaire to its value.
        final_page_texts: Test id to text on the last page: code, bonus, sum.
        is_away: Whether the page is closed for a while.
        has_left: Whether it is closed for good.
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
        """Record the current page."""
        # After an absence the same page is another stay: the time away is not part of any.
        if not self.stays or self.is_away or self.stays[-1][:2] != (stage, match):
            self.stays.append(Stay(stage, match, now, now))
        self.stays[-1] = self.stays[-1]._replace(ended=now)
        self.is_away = False

    @property
    def played_matches(self) -> set[int]:
        """Matches they took part in, without practice."""
        return {one.match for one in self.stays if one.stage == "match" and one.match != PRACTICE_MATCH}
