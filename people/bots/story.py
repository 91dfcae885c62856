"""What a participant has seen and done, for the verdict."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from econzoo.people.bots.manners import Manner
from econzoo.people.bots.visiting import Taken


class Stay(NamedTuple):
    """Some time on one page, which was open.

    Attributes:
        stage: One of `STAGES`, or `OTHER`.
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


PRACTISED = -1
"""Number of all matches of practice, which are in no table."""


@dataclass
class Story:
    """What a participant has seen and done.

    Attributes:
        name: Their label.
        manner: What they do besides what they are asked.
        stays: On pages, in order.
        moves: Match to the kinds of the moves that were taken, in order.
        unsure: Match to the number of moves of which they do not know whether they were taken.
        payoffs: Match to the payoff that was shown at its end.
        answers: Name of an input of the questionnaire to what was given.
        shown: What the last page tells, by its test id: code, bonus, sum.
        ended: Whether they reached a page from which nothing leads on.
        away: Whether their page is closed for a while.
        left: Whether they have closed the page for good.
        wrong: What must not have happened.
        taken: What they waited for.
    """

    name: str
    manner: Manner
    stays: list[Stay] = field(default_factory=list)
    moves: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    unsure: Counter[int] = field(default_factory=Counter)
    payoffs: dict[int, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    ended: bool = False
    away: bool = False
    left: bool = False
    wrong: list[str] = field(default_factory=list)
    taken: list[Taken] = field(default_factory=list)

    def stay(self, stage: str, match: int, now: float) -> None:
        """They are on a page now."""
        if not self.stays or self.away or self.stays[-1][:2] != (stage, match):
            self.stays.append(Stay(stage, match, now, now))
        self.stays[-1] = self.stays[-1]._replace(ended=now)
        self.away = False

    @property
    def played(self) -> set[int]:
        """Matches in which they were, but those of practice."""
        return {one.match for one in self.stays if one.stage == "match" and one.match != PRACTISED}
