"""The reward of a match: the objective's value, less for answers that could not be used."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from econzoo.envs.core.contract.objectives import Objective, Outcome
from econzoo.envs.core.record.record import Record

__all__ = ["Reward"]

FORFEIT_REWARD = -0.25
"""Reward of a learner that forfeits: below any deal of the usual objectives, and exact in binary."""

PENALTY = 0.03125
"""Taken off for each answer that had to be asked for again, else a learner may come to waste the first one."""


@dataclass(frozen=True)
class Reward:
    """What a learner gets for a match.

    Attributes:
        objective: Its value counts where the learner played to the end.
        forfeit: Reward of a forfeit, or of a match that was never finished.
        penalty: Taken off for each unusable answer.
    """

    objective: Objective = field(default_factory=lambda: Objective("self_gain"))
    forfeit: float = FORFEIT_REWARD
    penalty: float = PENALTY

    def compute(self, record: Record, seat: int) -> float:
        """The reward of one seat, short enough in binary that equal rewards of a group have exactly their mean.

        Raises:
            ValueError: The match has no result.
        """
        if not record.has_result:
            raise ValueError(f"match {record.id} is {record.status} and has no reward; allowed: one with a result")
        if record.forfeit == seat:
            return self.forfeit
        value = self.objective.reward(record.payoffs, outcome_of(record), seat)
        return binary_exact(value - self.penalty * record.errors[seat])


def as_reward(given: str | Objective | Reward) -> Reward:
    """The reward that an objective, or the name of one, stands for.

    Raises:
        ValueError: Unknown objective.
    """
    if isinstance(given, Reward):
        return given
    return Reward(given if isinstance(given, Objective) else Objective(given))


def binary_exact(value: float, bits: int = 14) -> float:
    """The value with so few bits that float32 sums of hundreds of equal ones are exact.

    A group whose rewards are all equal must have advantages of exactly 0: rounding noise, divided by its own tiny
    standard deviation, would move the policy.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(mantissa * 2**bits), exponent - bits)


def outcome_of(record: Record) -> Outcome:
    """The outcome as the objectives take it."""
    metrics = record.metrics
    gains = tuple(_number(gain) for gain in metrics["gains"])
    return Outcome(gains, _number(metrics["efficiency"]), _number(metrics["fairness"]), bool(metrics["agreed"]))


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
