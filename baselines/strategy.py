"""Base of scripted strategies, and helpers for their arguments and random numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, TypeVar

from econzoo.baselines.base import Player
from econzoo.envs.core.contract import UNKNOWN, ZERO_UNIFORMS, Real, StrategyMemory, UniformPair, short_repr
from econzoo.wrappers import SeatInfo

V = TypeVar("V")

ObservationDict = dict[str, Any]
"""A structured observation: the fields of a ``View``, None for unknown values, and ``history``."""


class ScriptedPlayer(Player):
    """A player of a script (`econzoo.envs.core.contract.scripts.Script`), stateless except for its seed."""

    numbers: tuple[float, ...] = ()
    initial_memory: ClassVar[tuple[float, ...]] = ()

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.seed = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        self.seed = seed

    @staticmethod
    def note(v: Any, past: StrategyMemory) -> None:
        """Update the memory from a view, in strategies with memory."""

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """Return the memory after the observed moves."""
        return ()

    def random_numbers(self, round: int) -> UniformPair:
        return ZERO_UNIFORMS


def offers_of_other(moves: Sequence[dict[str, Any]], seat: int) -> list[dict[str, Any]]:
    """Return the offers of a ``history`` that are not from a seat."""
    return [move for move in moves if move["kind"] == "offer" and move["seat"] != seat]


def view_of(kind: Callable[..., V], seen: Mapping[str, Any]) -> V:
    """Convert a structured observation to the rules' ``View``."""
    return kind(*[UNKNOWN if seen[name] is None else seen[name] for name in kind._fields])  # type: ignore[attr-defined]


def argument(
    spec: str,
    name: str,
    value: Any,
    low: float,
    high: float,
    *,
    open_low: bool = False,
    open_high: bool = False,
    integer: bool = False,
) -> float:
    """Parse an argument of a spec as a number or integer within bounds, inclusive unless open."""
    bounds = f"{low:g} {'<' if open_low else '<='} {name} {'<' if open_high else '<='} {high:g}"
    expected = f"{'an integer' if integer else 'a number'} with {bounds}"
    try:
        number = Real(low, high, is_low_excluded=open_low)(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or (open_high and number == high) or (integer and number % 1):
        raise ValueError(f"player {spec[:80]!r}: invalid {name}={short_repr(value)}: expected {expected}")
    return number


def round_generator(seed: int, round: int) -> Random:
    """Return the generator of one round of a match, so that a retry repeats the draws."""
    return Random(f"{seed} {round}")
