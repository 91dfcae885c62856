"""What the games of survival have in common: how everybody stands, and what it was worth (ALYMPICS, section 4).

A resident who gets water gains two health points, up to a limit. The first dry day in a row costs one point, the second
two, and so on. Whoever has no health left is out for good. The functions are part of the rules of such games, so they
too know numbers only. Those that take the parameters and a position are the games' own, which import them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Protocol

from econzoo.envs.core.contract.parameters import Integer, OneOf, Parameter

SURVIVAL, HEALTH, DAYS = 0, 1, 2
"""What payoffs can count."""

REWARDS = ("survival", "health", "days")

WATER_GAIN = 2
"""Health points that a day with water gives."""

MAX_HEALTH = 1_000
"""Health points."""

Condition = tuple[int, int]
"""Health points in the morning, and days in a row without water before."""


class SurvivalParams(Protocol):
    """What the parameters of every game of survival have."""

    @property
    def days(self) -> int:
        """Days that the game lasts."""

    @property
    def start_health(self) -> int:
        """Health points at the beginning."""

    @property
    def max_health(self) -> int:
        """Most health points."""

    @property
    def reward(self) -> int:
        """What payoffs count: `SURVIVAL`, `HEALTH` or `DAYS`."""


class SurvivalState(Protocol):
    """What a position of every game of survival has. Tuples have one entry a resident."""

    @property
    def round(self) -> int:
        """Day, 1-based."""

    @property
    def balance(self) -> tuple[float, ...]:
        """Dollars."""

    @property
    def health(self) -> tuple[int, ...]:
        """Health points; of the dead those they died with."""

    @property
    def dry(self) -> tuple[int, ...]:
        """Days in a row without water."""

    @property
    def died(self) -> tuple[int, ...]:
        """Day of death; 0 while alive."""

    @property
    def over(self) -> bool:
        """Whether the game has ended."""


class Status(NamedTuple):
    """How a resident stands.

    Attributes:
        balance: Dollars.
        health: Health points.
        no_water_days: Days in a row without water; 0: served yesterday.
        alive: Whether it lives.
    """

    balance: float
    health: int
    no_water_days: int
    alive: bool


def update_condition(max_health: int, condition: Condition, served: int) -> Condition:
    """Health points and days without water after a day; no health left means death.

    Args:
        max_health: Limit of health points.
        condition: In the morning.
        served: Whether there was water.
    """
    health, before = condition
    return (min(max_health, health + WATER_GAIN), 0) if served else (health - before - 1, before + 1)


def alive(p: SurvivalParams, s: SurvivalState, seat: int) -> bool:
    """Whether the resident lives."""
    return s.died[seat] == 0


def status(p: SurvivalParams, s: SurvivalState, seat: int) -> Status:
    """How a resident stands now."""
    return Status(s.balance[seat], s.health[seat], s.dry[seat], s.died[seat] == 0)


def completed_days(s: SurvivalState) -> int:
    """Days that are over."""
    return s.round if s.over else s.round - 1


def payoffs(p: SurvivalParams, s: SurvivalState) -> tuple[float, ...]:
    """Survival or health of each resident at the end, nothing before it; or the days lived so far."""
    if s.over or p.reward == DAYS:
        return tuple([payoff_of(p.reward, s.died[i], s.health[i], completed_days(s)) for i in range(len(s.died))])
    return tuple([0.0] * len(s.died))


def gains(p: SurvivalParams, s: SurvivalState) -> tuple[float, ...]:
    """Payoffs as parts of the most that can be had: that of a life to the end, in full health if that counts."""
    most = payoff_of(p.reward, 0, p.max_health, p.days)
    return tuple([payoff / most for payoff in payoffs(p, s)])


def days_lived(died: int, completed: int) -> int:
    """Days at whose end a resident was alive.

    Args:
        died: Day of its elimination; 0 if it lives.
        completed: Days that are over.
    """
    return completed if died == 0 else died - 1


def payoff_of(reward: int, died: int, health: int, completed: int) -> float:
    """1 for being alive, or the health points one is alive with, or the days lived, as the position stands.

    Args:
        reward: `SURVIVAL`, `HEALTH` or `DAYS`.
        died: Day of the resident's elimination; 0 if it lives.
        health: Its health points.
        completed: Days that are over.
    """
    if reward == DAYS:
        return float(days_lived(died, completed))
    if died > 0:
        return 0.0
    return 1.0 if reward == SURVIVAL else float(health)


StartHealth = Annotated[int, Integer(1, MAX_HEALTH), "Health points at the beginning."]
MaxHealth = Annotated[int, Integer(1, MAX_HEALTH), "Most health points."]

REWARD = Parameter(
    "reward",
    "survival",
    OneOf(*REWARDS),
    "What payoffs count: being alive at the end (1 or 0), health points at the end, or days lived.",
)


def encode_reward_and_bound(game: str, public: Mapping[str, Any]) -> dict[str, Any]:
    """The reward and the bound of bids as numbers.

    Raises:
        ValueError: There would be more health points at the beginning than one can have; the message names both.
    """
    if public["start_health"] > public["max_health"]:
        told = f"start_health={public['start_health']} is not allowed"
        raise ValueError(f"{game}: {told}; allowed: at most max_health={public['max_health']}")
    return {"reward": REWARDS.index(public["reward"]), "bound": public["bound"] or 0.0}
