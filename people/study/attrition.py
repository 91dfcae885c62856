"""Who completed a study, beside everybody who was assigned to an arm, and whether arms lost different shares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from statistics import fmean
from typing import NamedTuple

SLACK = 1e-9
"""Of a probability, relative: tables that are as likely as the one that was seen differ by rounding only."""


class AssignedParticipant(NamedTuple):
    """A participant of an arm.

    Attributes:
        arm: Its name.
        has_completed: Whether they came to the end and left no match.
        payoffs: Of their matches that have ended, whoever made their moves.
    """

    arm: str
    has_completed: bool
    payoffs: Sequence[float]


class ArmRow(NamedTuple):
    """An arm.

    Attributes:
        arm: Its name.
        assigned: Participants who had a seat in a match.
        completed: Of these.
        attrition: Share of the assigned who did not complete; None: nobody was assigned.
        attrition_p: Of Fisher's exact test, two-sided, against all other arms together; None: there is no other.
        payoff_completed: Mean payoff of a match of who completed; None: nobody, or no match has ended.
        payoff_assigned: Likewise of everybody who was assigned, whoever made their moves.
    """

    arm: str
    assigned: int
    completed: int
    attrition: float | None
    attrition_p: float | None
    payoff_completed: float | None
    payoff_assigned: float | None


def fisher_p(lost: int, total: int, other_lost: int, other_total: int) -> float:
    """Two-sided p of Fisher's exact test: of all tables with these sums those that are no likelier (Fisher 1935).

    Args:
        lost: Of the first group.
        total: Size of the first group.
        other_lost: Of the second group.
        other_total: Its size.
    """
    both = lost + other_lost
    ways = [
        comb(total, one) * comb(other_total, both - one)
        for one in range(max(0, both - other_total), min(total, both) + 1)
    ]
    seen = comb(total, lost) * comb(other_total, other_lost)
    return sum(one for one in ways if one <= seen * (1 + SLACK)) / sum(ways)


def arm_rows(arms: Sequence[str], everybody: Sequence[AssignedParticipant]) -> Iterator[ArmRow]:
    """A row for each arm."""
    for arm in arms:
        own = [one for one in everybody if one.arm == arm]
        others = [one for one in everybody if one.arm != arm]
        stayed = [one for one in own if one.has_completed]
        lost, other_lost = len(own) - len(stayed), sum(not one.has_completed for one in others)
        share = lost / len(own) if own else None
        p = fisher_p(lost, len(own), other_lost, len(others)) if own and others else None
        yield ArmRow(arm, len(own), len(stayed), share, p, _mean(stayed), _mean(own))


def _mean(some: Sequence[AssignedParticipant]) -> float | None:
    means = [fmean(one.payoffs) for one in some if one.payoffs]
    return fmean(means) if means else None


def describe_arm(row: ArmRow) -> str:
    """An arm in a line."""
    if row.attrition is None:
        return f"{row.arm}: nobody yet"
    test = "" if row.attrition_p is None else f", p = {row.attrition_p:.2g} against the other arms"
    told = f"{row.completed} of {row.assigned} assigned completed"
    return f"{row.arm}: {told} (attrition {row.attrition:.0%}{test})"
