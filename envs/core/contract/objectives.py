"""Objectives: functions of (payoffs, outcome, seat).

The same object is the reward in reinforcement learning and GRPO, the filter in supervised fine-tuning, the
preference in DPO and a column of reports.

Spec strings: ``self_gain``, ``efficiency``, ``fairness``, ``nash_product``, ``payoff``,
``inequity(alpha, beta)``, ``excess(limit)``, and weighted mixes such as ``0.7*self_gain + 0.3*fairness``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from econzoo.envs.core.contract.parameters import CustomDomain

__all__ = [
    "Objective", "Outcome", "Range", "Ranges", "efficiency", "excess", "fairness", "inequity", "nash_product",
    "payoff", "self_gain",
]  # fmt: skip


class Outcome(NamedTuple):
    """Outcome of a match on the scale of the game's metrics; its ranges in a setting are those of `Ranges`.

    Attributes:
        gains: Self-gain of each seat (in bargaining the discounted share of the money).
        efficiency: At most 1, in most games at least 0; NaN if undefined.
        fairness: At most 1, in most games at least 0; NaN if undefined.
        agreed: Whether there was an agreement, if the game has any.
    """

    gains: tuple[float, ...]
    efficiency: float
    fairness: float
    agreed: bool


Value = Callable[[Sequence[float], Outcome, int], float]

Range: TypeAlias = tuple[float, float]
"""Least and greatest value; infinite without a bound."""

UNIT: Range = (0.0, 1.0)
UNBOUNDED: Range = (-math.inf, math.inf)


class Ranges(NamedTuple):
    """Ranges of payoffs and metrics over all positions of a setting, in any of which a forfeit can end a match.

    They follow from the rules and bound every match. They may be wider than what can occur, but not by much.

    Attributes:
        payoffs: Of each seat, in the game's own unit.
        gains: Self-gain of each seat.
        efficiency: Efficiency where it is defined.
        fairness: Fairness where it is defined.
    """

    payoffs: tuple[Range, ...]
    gains: tuple[Range, ...]
    efficiency: Range = UNIT
    fairness: Range = UNIT

    def clip(self, gains: Range, shares: Range) -> Ranges:
        """Return the ranges where gains are clipped to one range, and efficiency and fairness to another."""
        own = tuple(_clip(one, gains) for one in self.gains)
        return Ranges(self.payoffs, own, _clip(self.efficiency, shares), _clip(self.fairness, shares))


def _clip(given: Range, to: Range) -> Range:
    low, high = (min(max(end, to[0]), to[1]) for end in given)
    return low, high


def declared_ranges(metrics: ModuleType, params: Any, seats: int, definition: str = "paper") -> Ranges:
    """Return ``ranges(params, definition)`` of a game's `metrics`; without it only 1 bounds efficiency and fairness."""
    if hasattr(metrics, "ranges"):
        return metrics.ranges(params, definition)
    return Ranges((UNBOUNDED,) * seats, (UNBOUNDED,) * seats, (-math.inf, 1.0), (-math.inf, 1.0))


def payoff(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Payoff of the seat in the game's own unit (dollars)."""
    return payoffs[seat]


def self_gain(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Self-gain of the seat on the scale of the metrics (GLEE, section 3)."""
    return outcome.gains[seat]


def efficiency(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Realized share of the largest possible total gain.

    From 0 to 1, but below 0 where moves can destroy more than they create: in `coin_game` and `program_coin` down to
    -1, in `public_goods` with punishment to -1 (further by ``metrics="surplus"``), and in `program_matrix` where both
    programs forfeit turns. `Ranges` has those of a setting.
    """
    return outcome.efficiency


def fairness(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Evenness of the division; without an agreement 1 in games of offers.

    From 0 to 1, but below 0 in `double_auction` (-3 for a pair), in `public_goods` with punishment (-1.25 by default),
    and in `negotiation`, where it falls with the square of the distance of the price from the middle of the values: to
    -5.76 by default, and without a bound if prices have none. `Ranges` has those of a setting.
    """
    return outcome.fairness


def nash_product(payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
    """Product of all gains over the disagreement point, losses counted as 0 (Nash 1950)."""
    return math.prod(max(gain, 0.0) for gain in outcome.gains)


@dataclass(frozen=True)
class _Inequity:
    """See `inequity`; a class, because objectives need its range and its text too."""

    alpha: float
    beta: float

    def __call__(self, payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        own = outcome.gains[seat]
        # A lone seat has itself as the other, as a mean needs one: both distances are 0.
        others = [gain for i, gain in enumerate(outcome.gains) if i != seat] or [own]
        shortfall = sum(max(other - own, 0.0) for other in others) / len(others)
        advantage = sum(max(own - other, 0.0) for other in others) / len(others)
        return own - self.alpha * shortfall - self.beta * advantage

    def __repr__(self) -> str:
        return f"inequity({self.alpha:g}, {self.beta:g})"

    def range(self, ranges: Ranges, seat: int) -> Range:
        """Range over all combinations of gains: the value rises in the own gain, and falls in every distance to it."""
        (low, high), others = ranges.gains[seat], [one for i, one in enumerate(ranges.gains) if i != seat]
        if not others:
            return low, high
        # The distances below would be inf - inf, which is not a number.
        if not all(math.isfinite(end) for gain in ranges.gains for end in gain):
            return -math.inf, high
        # As beta < 1, the value rises in the own gain, so its extremes are at the ends of that.
        far = [max(self.alpha * (most - low), self.beta * (low - least), 0.0) for least, most in others]
        near = [max(self.alpha * max(least - high, 0.0), self.beta * max(high - most, 0.0)) for least, most in others]
        return low - sum(far) / len(far), high - sum(near) / len(near)


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
    return _Inequity(alpha, beta)


@dataclass(frozen=True)
class _Excess:
    """See `excess`."""

    limit: float

    def __call__(self, payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        return self._mean([gain for i, gain in enumerate(outcome.gains) if i != seat])

    def __repr__(self) -> str:
        return f"excess({self.limit:g})"

    def range(self, ranges: Ranges, seat: int) -> Range:
        others = [gain for i, gain in enumerate(ranges.gains) if i != seat]
        return self._mean([low for low, _ in others]), self._mean([high for _, high in others])

    def _mean(self, gains: Sequence[float]) -> float:
        return sum(max(gain - self.limit, 0.0) for gain in gains) / max(1, len(gains))


def excess(limit: float) -> Value:
    """What others gain above a limit; with a negative weight the price of conceding more than that to anybody.

    A policy that pays it in training is a committed player: ``self_gain - 2*excess(0.6)`` refuses offers that would
    leave the other more than 0.6, and so its exploitability is bounded.

    Args:
        limit: Gain that is free; finite.

    Returns:
        mean(max(gain_j - limit, 0)) over the others j; 0 without others.
    """
    if not math.isfinite(limit):
        raise ValueError(f"invalid excess({limit}): expected a finite limit")
    return _Excess(limit)


def _weigh(weight: float, number: float) -> float:
    """Product that is 0 for a weight of 0, also of an infinite number."""
    return weight * number if weight else 0.0


def _product_range(ranges: Ranges, seat: int) -> Range:
    """Range of `nash_product`, which rises in every gain."""
    ends = [[max(gain[end], 0.0) for gain in ranges.gains] for end in (0, 1)]
    # 0 * inf is not a number.
    least, most = (0.0 if 0.0 in gains else math.prod(gains) for gains in ends)
    return least, most


PLAIN_OBJECTIVES: dict[str, Value] = {f.__name__: f for f in (self_gain, efficiency, fairness, nash_product, payoff)}
PLAIN_RANGES: dict[Value, Callable[[Ranges, int], Range]] = {
    self_gain: lambda ranges, seat: ranges.gains[seat],
    efficiency: lambda ranges, seat: ranges.efficiency,
    fairness: lambda ranges, seat: ranges.fairness,
    nash_product: _product_range,
    payoff: lambda ranges, seat: ranges.payoffs[seat],
}
WITH_NUMBERS: dict[str, Callable[..., Value]] = {"inequity": inequity, "excess": excess}
OBJECTIVE_NAMES = (*PLAIN_OBJECTIVES, "inequity(alpha, beta)", "excess(limit)")

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

    def sum_rounds(self, gains: Any, payoffs: Any) -> Any:
        """Value of the terms that are sums over rounds, `self_gain` and `payoff`; of one seat, or arrays of several."""
        gain, unit = (sum(weight for weight, value in self._terms if value is one) for one in (self_gain, payoff))
        return gain * gains + unit * payoffs

    def __call__(self, payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        """Value of an outcome for a seat; NaN if any term is undefined."""
        return float(sum(weight * value(payoffs, outcome, seat) for weight, value in self._terms))

    def reward(self, payoffs: Sequence[float], outcome: Outcome, seat: int) -> float:
        """Value as a reward: 0 where undefined, because learners cannot handle NaN."""
        value = self(payoffs, outcome, seat)
        return 0.0 if math.isnan(value) else value

    @property
    def terms(self) -> list[str]:
        """Specs of the weighted terms, in order."""
        names = [repr(value) if isinstance(value, _Inequity | _Excess) else value.__name__ for _, value in self._terms]
        return [
            name if weight == 1.0 else f"{weight:g}*{name}"
            for (weight, _), name in zip(self._terms, names, strict=True)
        ]

    def range(self, ranges: Ranges, seat: int) -> Range:
        """Least and greatest value for a seat where it is defined: the sum over terms, of which each can be extreme.

        Args:
            ranges: Those of the setting, ``game.ranges(params)``.
            seat: The seat.
        """
        each = self.term_ranges(ranges, seat)
        return sum(low for low, _ in each), sum(high for _, high in each)

    def term_ranges(self, ranges: Ranges, seat: int) -> list[Range]:
        """Return the `range` of each weighted term, in the order of the spec."""
        found = []
        for weight, value in self._terms:
            ends = value.range if isinstance(value, _Inequity | _Excess) else PLAIN_RANGES[value]
            own = ends(ranges, seat)
            low, high = sorted([_weigh(weight, end) for end in own])  # a negative weight swaps the ends
            found.append((low, high))
        return found

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
    # The pattern has no sign in front of a name.
    match = _TERM.match(part if not part.startswith("-") or "*" in part else "-1*" + part[1:])
    if match is None:
        raise ValueError(f"invalid objective={spec!r}: expected {_describe_allowed()}")
    try:
        weight = float(match["weight"] or 1)
        value = (
            WITH_NUMBERS[match["name"]](*map(float, match["args"].split(",")))
            if match["name"] in WITH_NUMBERS
            else PLAIN_OBJECTIVES[match["name"]]
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        why = str(error) if str(error).startswith("invalid inequity(") else f"expected {_describe_allowed()}"
        raise ValueError(f"invalid objective={spec!r}: {why}") from None
    if not math.isfinite(weight) or (match["args"] is not None and match["name"] not in WITH_NUMBERS):
        raise ValueError(f"invalid objective={spec!r}: expected {_describe_allowed()}")
    return weight, value


def _describe_allowed() -> str:
    return f"{', '.join(OBJECTIVE_NAMES)}, or a weighted mix such as '0.7*self_gain + 0.3*fairness'"


SELF_GAIN = "self_gain"
"""Default objective for comparing players."""

OBJECTIVE = CustomDomain(
    lambda spec: Objective(spec).spec, f"{', '.join(OBJECTIVE_NAMES)}, or a mix 0.7*self_gain + 0.3*fairness"
)
