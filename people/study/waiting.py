"""What follows for those who wait for a match: it begins, goes on without them, or is not worth the wait any more."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from econzoo.people.study.declaration import HUMAN, PAY, Study
from econzoo.people.study.matching import Planned

WAIT, BEGIN, SKIP, ALONE = "wait", "begin", "skip", "alone"
"""Go on waiting; the match begins; it is left out; the study ends for who has waited too long."""

HOLD = (4.0, 12.0)
"""Seconds that everybody waits at least, where a match without a wait would tell that all others are programs."""


def stand_in_of(study: Study) -> str:
    """Who takes the seats of participants who do not come; empty: nobody."""
    alone, leaving = study.time.alone, study.leaving
    return alone if alone != PAY else leaving.policy if leaving.replaced else ""


def players_of(study: Study, match: Planned, here: Collection[int]) -> list[str]:
    """Who sits where in a match that begins: participants who are there, and who takes the seats of the others."""
    return [who if isinstance(who, str) else HUMAN if who in here else stand_in_of(study) for who in match.players]


def verdict(
    study: Study,
    people: Collection[int],
    waiting: Mapping[int, float],
    here: Collection[int],
    gone: Collection[int],
    held: bool = True,
) -> str:
    """What follows now for who waits for a match.

    Args:
        study: Its limits, and what follows a wait in vain.
        people: Places of all participants of the match.
        waiting: Seconds that each of those has waited who are in the waiting room.
        here: Of these, whose page is open.
        gone: Who does not come to this match any more.
        held: Whether everybody has waited long enough for the match to begin.

    Returns:
        `WAIT`, `BEGIN`, `SKIP` or `ALONE`.
    """
    limit = study.time.waiting
    if gone and not stand_in_of(study):
        return SKIP
    if set(people) - set(here) <= set(gone):
        return BEGIN if held else WAIT
    if study.time.alone == PAY:
        return ALONE if any(seconds >= limit for seconds in waiting.values()) else WAIT
    return BEGIN if any(waiting[place] >= limit for place in here) else WAIT
