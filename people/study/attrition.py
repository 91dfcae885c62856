"""Completion by arm, relative to all assigned participants, and tests of differential attrition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from statistics import fmean
from typing import NamedTuple


class AssignedParticipant(NamedTuple):
    """A participant assigned to an arm.

    Attributes:
        has_completed: Whether they reached the end and left no match.
        payoffs: Payoffs of their finished matches, including those with default or substitute moves.
    """

    arm: str
    has_completed: bool
    payoffs: Sequence[float]


class ArmRow(NamedTuple):
    """Attrition and payoffs of an arm.

    Attributes:
        attrition: Fraction of the assigned who did not complete; None: none assigned.
        attrition_p: Two-sided p of Fisher's exact test against all other arms pooled; None: single arm.
        payoff_completed: Mean payoff per match of those who completed; None: no finished match.
    """

    arm: str
    assigned: int
    completed: int
    attrition: float | None
    attrition_p: float | None
    payoff_completed: float | None
    payoff_assigned: float | None


def fisher_p(lost: int, total: int, other_lost: int, other_total: int) -> float:
    """Return the two-sided p of Fisher's exact test: sum over tables that are no likelier (Fisher 1935).

    Args:
        lost: Dropouts of `total` in the first group, and so on in the other.
    """
    both = lost + other_lost
    ways = [
        comb(total, one) * comb(other_total, both - one)
        for one in range(max(0, both - other_total), min(total, both) + 1)
    ]
    seen = comb(total, lost) * comb(other_total, other_lost)
    return sum(one for one in ways if one <= seen) / sum(ways)


def arm_rows(arms: Sequence[str], everybody: Sequence[AssignedParticipant]) -> Iterator[ArmRow]:
    """Yield a row per arm."""
    for arm in arms:
        own = [one for one in everybody if one.arm == arm]
        others = [one for one in everybody if one.arm != arm]
        stayed = [one for one in own if one.has_completed]
        lost, other_lost = len(own) - len(stayed), sum(not one.has_completed for one in others)
        share = lost / len(own) if own else None
        p = fisher_p(lost, len(own), other_lost, len(others)) if own and others else None
        yield ArmRow(arm, len(own), len(stayed), share, p, _mean(stayed), _mean(own))


def _mean(some: Sequence[AssignedParticipant]) -> float | None:
    # First over the matches of each: whoever played fewer counts as much.
    means = [fmean(one.payoffs) for one in some if one.payoffs]
    return fmean(means) if means else None


def describe_arm(row: ArmRow) -> str:
    if row.attrition is None:
        return f"{row.arm}: no participants yet"
    test = "" if row.attrition_p is None else f", p = {row.attrition_p:.2g} against the other arms"
    completed = f"{row.completed} of {row.assigned} assigned completed"
    return f"{row.arm}: {completed} (attrition {row.attrition:.0%}{test})"
