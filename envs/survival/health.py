"""What the games of survival have in common: above all how health follows from water (ALYMPICS, section 4).

A resident who gets water gains two health points, up to a limit. The first dry day in a row costs one point, the second
two, and so on. Whoever has no health left is out for good. The functions are part of the rules of such games, so they
too know numbers only.
"""

from __future__ import annotations

from econzoo.envs.core.game import UNKNOWN, Move

SURVIVAL, HEALTH, DAYS = 0, 1, 2
"""What payoffs can count."""

REWARDS = ("survival", "health", "days")

REFRESHED = 2
"""Health points that a day with water gives."""

MAX_HEALTH = 1_000
"""Health points."""

MAX_BID = 1e12
"""Dollars; a bid above one's balance is legal, and void."""


def refreshed(health: int, most: int) -> int:
    """Health points after a day with water."""
    return min(most, health + REFRESHED)


def amounts_of(moves: tuple[Move, ...], died: tuple[int, ...]) -> list[float]:
    """The amount that every seat named; UNKNOWN for those that are out.

    Args:
        moves: One for each seat that is in, in the order of seats.
        died: When each seat went out; 0 for those that are in.
    """
    amounts, place = [UNKNOWN] * len(died), 0
    for seat in range(len(died)):
        if died[seat] == 0:
            amounts[seat] = moves[place].amount
            place += 1
    return amounts


def days_lived(died: int, completed: int) -> int:
    """Days at whose end a resident was alive.

    Args:
        died: Day of its elimination; 0 if it lives.
        completed: Days that are over.
    """
    return completed if died == 0 else died - 1


def payoffs_of(reward: int, died: tuple[int, ...], health: tuple[int, ...], completed: int) -> tuple[float, ...]:
    """1 for being alive, or the health points one is alive with, or the days lived, as the position stands.

    Args:
        reward: `SURVIVAL`, `HEALTH` or `DAYS`.
        died: Day of each resident's elimination; 0 if it lives.
        health: Health points of each resident.
        completed: Days that are over.
    """
    seats = range(len(died))
    if reward == SURVIVAL:
        return tuple([1.0 if died[i] == 0 else 0.0 for i in seats])
    if reward == HEALTH:
        return tuple([float(health[i]) if died[i] == 0 else 0.0 for i in seats])
    return tuple([float(days_lived(died[i], completed)) for i in seats])


def most_of(reward: int, max_health: int, days: int) -> float:
    """The payoff of a life to the end, in full health if that counts."""
    return 1.0 if reward == SURVIVAL else float(max_health) if reward == HEALTH else float(days)


def jain(values: list[int]) -> float:
    """Jain's index of fairness, (sum x)^2 / (n sum x^2); 1 for all zeros (Jain, Chiu and Hawe 1984)."""
    squares = sum([value * value for value in values])
    return sum(values) ** 2 / (len(values) * squares) if squares else 1.0
