"""Health and payoffs of survival games (ALYMPICS, section 4).

A resident who gets water gains two health points, up to a limit. The first dry day in a row costs one point, the second
two, and so on. A resident without health is dead. The functions are part of compiled rules, so they use numbers only.
Those that take the parameters and a position are imported by the games as their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Protocol

from econzoo.envs.core.contract import Integer, OneOf, Parameter

SURVIVAL, HEALTH, DAYS = 0, 1, 2
"""Kinds of payoffs."""

REWARDS = ("survival", "health", "days")

WATER_GAIN = 2
"""Health points gained on a day with water."""

MAX_HEALTH = 1_000
"""Largest allowed value of the health parameters."""

Condition = tuple[int, int]
"""Health points in the morning, and consecutive days without water before."""


class SurvivalParams(Protocol):
    """Parameters of every survival game."""

    @property
    def days(self) -> int:
        """Number of days."""

    @property
    def start_health(self) -> int:
        """Initial health points."""

    @property
    def max_health(self) -> int:
        """Maximum health points."""

    @property
    def reward(self) -> int:
        """Kind of payoffs: `SURVIVAL`, `HEALTH` or `DAYS`."""


class SurvivalState(Protocol):
    """Position of every survival game. Tuples have one entry per resident."""

    @property
    def round(self) -> int:
        """Day, 1-based."""

    @property
    def balance(self) -> tuple[float, ...]:
        """Dollars."""

    @property
    def health(self) -> tuple[int, ...]:
        """Health points; those at death for the dead."""

    @property
    def dry(self) -> tuple[int, ...]:
        """Consecutive days without water."""

    @property
    def died(self) -> tuple[int, ...]:
        """Day of death; 0 while alive."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""


class Status(NamedTuple):
    """Condition of a resident.

    Attributes:
        balance: Dollars.
        no_water_days: Consecutive days without water; 0 if served yesterday.
    """

    balance: float
    health: int
    no_water_days: int
    alive: bool


def update_condition(max_health: int, condition: Condition, served: int) -> Condition:
    """Return the condition after a day; health of 0 or less means death."""
    health, dry = condition
    return (min(max_health, health + WATER_GAIN), 0) if served else (health - dry - 1, dry + 1)


def alive(p: SurvivalParams, s: SurvivalState, seat: int) -> bool:
    """Whether the resident is alive."""
    return s.died[seat] == 0


def status(p: SurvivalParams, s: SurvivalState, seat: int) -> Status:
    """Current condition of a resident."""
    return Status(s.balance[seat], s.health[seat], s.dry[seat], s.died[seat] == 0)


def completed_days(s: SurvivalState) -> int:
    """Number of completed days."""
    return s.round if s.over else s.round - 1


def payoffs(p: SurvivalParams, s: SurvivalState) -> tuple[float, ...]:
    """Survival or health of each resident at the end, 0 before it; or the days lived so far."""
    if s.over or p.reward == DAYS:
        return tuple([payoff_of(p.reward, s.died[i], s.health[i], completed_days(s)) for i in range(len(s.died))])
    return tuple([0.0] * len(s.died))


def gains(p: SurvivalParams, s: SurvivalState) -> tuple[float, ...]:
    """Payoffs as fractions of the maximum: that of surviving to the end, with full health if that counts."""
    most = payoff_of(p.reward, 0, p.max_health, p.days)
    return tuple([payoff / most for payoff in payoffs(p, s)])


def days_lived(died: int, completed: int) -> int:
    """Number of days that a resident survived.

    Args:
        died: Day of death; 0 while alive.
    """
    return completed if died == 0 else died - 1


def payoff_of(reward: int, died: int, health: int, completed: int) -> float:
    """Payoff of a resident: 1 if alive, or its health points if alive, or the days lived.

    Args:
        died: Day of death; 0 while alive.
    """
    if reward == DAYS:
        return float(days_lived(died, completed))
    if died > 0:
        return 0.0
    return 1.0 if reward == SURVIVAL else float(health)


StartHealth = Annotated[int, Integer(1, MAX_HEALTH), "Initial health points."]
MaxHealth = Annotated[int, Integer(1, MAX_HEALTH), "Maximum health points."]

REWARD = Parameter(
    "reward",
    "survival",
    OneOf(*REWARDS),
    "Payoff: survival to the end (1 or 0), health points at the end, or days lived.",
)


def encode_reward_and_bound(game: str, public: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the reward and the bound on bids as numbers."""
    start, most = public["start_health"], public["max_health"]
    if start > most:
        raise ValueError(f"{game}: invalid start_health={start}: expected at most max_health={most}")
    return {"reward": REWARDS.index(public["reward"]), "bound": public["bound"] or 0.0}
