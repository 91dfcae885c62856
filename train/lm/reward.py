"""Reward of a match: the objective's value minus penalties for invalid replies."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from econzoo.envs.core.contract.objectives import Objective, Outcome
from econzoo.envs.core.record.record import Record

__all__ = ["Reward"]

FORFEIT_REWARD = -0.25
"""Reward of a forfeit: below any deal under the usual objectives, and exact in binary."""

PENALTY = 0.03125
"""Penalty per retry; without it a learner may waste its first answers."""


@dataclass(frozen=True)
class Reward:
    """Reward function of a match.

    Attributes:
        objective: Objective of a match that the learner played to the end.
        forfeit: Reward of a forfeit, or of an unfinished match.
        penalty: Penalty per invalid reply.
    """

    objective: Objective = field(default_factory=lambda: Objective("self_gain"))
    forfeit: float = FORFEIT_REWARD
    penalty: float = PENALTY

    def compute(self, record: Record, seat: int) -> float:
        """Return the reward of a seat, rounded in binary so that a group's equal rewards have an exact mean.

        Raises:
            ValueError: The match has no result.
        """
        if not record.has_result:
            raise ValueError(f"invalid match {record.id} with status {record.status}: expected a match with a result")
        if record.forfeit == seat:
            return self.forfeit
        value = self.objective.reward(record.payoffs, outcome_of(record), seat)
        return binary_exact(value - self.penalty * record.errors[seat])


def as_reward(given: str | Objective | Reward) -> Reward:
    """Return a reward from an objective or its name.

    Raises:
        ValueError: The objective is unknown.
    """
    if isinstance(given, Reward):
        return given
    return Reward(given if isinstance(given, Objective) else Objective(given))


def binary_exact(value: float, bits: int = 14) -> float:
    """Round to so few bits that float32 sums of hundreds of equal values are exact.

    A group of equal rewards must have advantages of exactly 0: rounding noise, divided by its own tiny standard
    deviation, would change the policy.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 2**bits), exponent - bits)


def outcome_of(record: Record) -> Outcome:
    """Return the outcome of a match for objectives."""
    metrics = record.metrics
    gains = tuple(_number(gain) for gain in metrics["gains"])
    return Outcome(gains, _number(metrics["efficiency"]), _number(metrics["fairness"]), bool(metrics["agreed"]))


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
