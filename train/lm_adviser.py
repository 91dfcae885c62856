"""Which of several teachers advises: the one whose own play comes to the most by the objective.

A student that is to be good at something else learns from another adviser, with all other arguments the same.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from econzoo.envs.core.contract.objectives import Objective
from econzoo.train.lm_decisions import play_lessons
from econzoo.train.lm_records import outcome_of
from econzoo.train.lm_tickets import Ticket

__all__ = ["best_first", "means"]


def means(game: str, teachers: Sequence[str], met: Sequence[Ticket], objective: Objective) -> dict[str, float]:
    """What each teacher comes to on average in the same matches; where the objective is not defined it is 0.

    Args:
        game: The game.
        teachers: Specs.
        met: The matches; each teacher takes the place that is free in them.
        objective: What is meant.
    """
    found = {}
    for teacher in teachers:
        records = play_lessons(game, [(teacher, ticket) for ticket in met], None)
        values = [
            0.0 if ticket.seat == record.forfeit else objective.reward(record.payoffs, outcome_of(record), ticket.seat)
            for record, ticket in zip(records, met, strict=True)
        ]
        found[teacher] = sum(values) / len(values)
    return found


def best_first(game: str, teachers: Sequence[str], met: Sequence[Ticket], objective: Objective) -> list[str]:
    """The teachers, the best one first; of equal ones, that which was given first. Told on standard error."""
    found = means(game, teachers, met, objective)
    order = sorted(teachers, key=lambda teacher: -found[teacher])
    told = ", ".join(f"{teacher} {found[teacher]:.3f}" for teacher in order)
    print(f"{order[0]} advises; {objective.spec} of the teachers in {len(met):,} matches: {told}", file=sys.stderr)
    return order
