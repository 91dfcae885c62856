"""Objectives: functions of (payoffs, outcome, seat).

The same object is the reward in reinforcement learning and GRPO, the filter in supervised fine-tuning, the
preference in DPO and a column of reports.

Spec strings: ``self_gain``, ``efficiency``, ``fairness``, ``nash_product``, ``payoff``,
``inequity(alpha, beta)``, and weighted mixes such as ``0.7*self_gain + 0.3*fairness``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.parameters import CustomDomain

__all__ = ["Objective", "Outcome", "efficiency", "fairness", "inequity", "nash_product", "payoff", "self_gain"]


class Outcome(NamedTuple):
    """Outcome of a match on the scale of the game's metrics.

    Attributes:
        gains: Self-gain of each seat (in bargaining the discounted share of the money).
        efficiency: In [0, 1]; NaN if undefined.
        fairness: At most 1; NaN if undefined.
        agreed: Whether there was an agreement, if the game has any.
    """

    gains: tuple[float, ...]
    efficiency: float
    fairness: float
    agreed: bool


Value = Callable[[Sequence[float], Outcome, int], float]


def payoff(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Payoff of the seat in the game's own unit (dollars)."""
    return payoffs[seat]


def self_gain(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Self-gain of the seat on the scale of the metrics (GLEE, section 3)."""
    return outcome.gains[seat]


def efficiency(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Realized share of the largest possible total gain."""
    return outcome.efficiency


def fairness(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Evenness of the division."""
    return outcome.fairness


def nash_product(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Product of all gains over the disagreement point, losses counted as 0 (Nash 1950)."""
    return math.prod(max(gain, 0.0) for gain in outcome.gains)


def inequity(alpha: float, beta: float) -> Value:
    """Inequity aversion (Fehr and Schmidt 1999, eq. 1).

    Args:
        alpha: Weight of disadvantageous inequity, >= 0.
        beta: Weight of advantageous inequity, in [0, 1).

    Returns:
        gain_i - alpha * mean(max(gain_j - gain_i, 0)) - beta * mean(max(gain_i - gain_j, 0)) over the others j.
    """
    if not (math.isfinite(alpha) and alpha >= 0 and 0 <= beta < 1):
        raise ValueError(f"invalid inequity({alpha}, {beta}): expected alpha >= 0 and beta in [0, 1)")

    def value(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        own = outcome.gains[seat]
        others = [gain for i, gain in enumerate(outcome.gains) if i != seat] or [own]
        behind = sum(max(other - own, 0.0) for other in others) / len(others)
        ahead = sum(max(own - other, 0.0) for other in others) / len(others)
        return own - alpha * behind - beta * ahead

    return value


PLAIN_OBJECTIVES: dict[str, Value] = {f.__name__: f for f in (self_gain, efficiency, fairness, nash_product, payoff)}
OBJECTIVE_NAMES = (*PLAIN_OBJECTIVES, "inequity(alpha, beta)")

_TERM = re.compile(r"^(?:(?P<weight>[-+]?[\d.]+(?:e[-+]?\d+)?)\*)?(?P<name>[a-z_]+)(?:\((?P<args>[^()]*)\))?$")


class Objective:
    """Weighted sum of objectives; compared and pickled by its spec.

    Args:
        spec: Spec string, see the module.

    Raises:
        ValueError: Invalid spec.
    """

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self._terms = parse_terms(spec)

    @property
    def is_individual(self) -> bool:
        """Whether it depends only on the seat's own result, which is final once the seat leaves a match."""
        return all(value in (self_gain, payoff) for _, value in self._terms)

    def __call__(self, payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        """Value of an outcome for a seat; NaN if any term is undefined."""
        return float(sum(weight * value(payoffs, outcome, seat) for weight, value in self._terms))

    def reward(self, payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        """Value as a reward: 0 where undefined, because learners cannot handle NaN."""
        value = self(payoffs, outcome, seat)
        return 0.0 if math.isnan(value) else value

    def __repr__(self) -> str:
        return f"Objective({self.spec!r})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Objective) and other.spec == self.spec

    def __hash__(self) -> int:
        return hash(self.spec)

    def __reduce__(self) -> tuple[Any, ...]:
        return Objective, (self.spec,)


def parse_terms(spec: str) -> list[tuple[float, Value]]:
    """Parse a spec into (weight, objective) terms."""
    if not isinstance(spec, str):
        raise ValueError(f"invalid objective={spec!r}: expected {_describe_allowed()}")
    # A minus between terms becomes a negative weight; "1e-3*fairness" keeps its exponent.
    text = re.sub(r"(?<=[^e+*(,\-])-", "+-", spec.replace(" ", ""))
    return [_parse_term(part, spec) for part in re.split(r"(?<!\de)(?<!\.e)\+", text)]


def _parse_term(part: str, spec: str) -> tuple[float, Value]:
    match = _TERM.match(part if not part.startswith("-") or "*" in part else "-1*" + part[1:])
    if match is None:
        raise ValueError(f"invalid objective={spec!r}: expected {_describe_allowed()}")
    try:
        weight = float(match["weight"] or 1)
        value = (
            inequity(*map(float, match["args"].split(",")))
            if match["name"] == "inequity"
            else PLAIN_OBJECTIVES[match["name"]]
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        why = str(error) if str(error).startswith("invalid inequity(") else f"expected {_describe_allowed()}"
        raise ValueError(f"invalid objective={spec!r}: {why}") from None
    if not math.isfinite(weight) or (match["args"] is not None and match["name"] != "inequity"):
        raise ValueError(f"invalid objective={spec!r}: expected {_describe_allowed()}")
    return weight, value


def _describe_allowed() -> str:
    return f"{', '.join(OBJECTIVE_NAMES)}, or a weighted mix such as '0.7*self_gain + 0.3*fairness'"


SELF_GAIN = "self_gain"
"""Default objective for comparing players."""

OBJECTIVE = CustomDomain(
    lambda spec: Objective(spec).spec, f"{', '.join(OBJECTIVE_NAMES)}, or a mix 0.7*self_gain + 0.3*fairness"
)
