"""What scripted strategies of different games share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, TypeVar

from econzoo.baselines.player import Player, SeatInfo
from econzoo.envs.core.contract.notation import UNKNOWN
from econzoo.envs.core.contract.parameters import Real
from econzoo.envs.core.contract.scripts import ZERO_UNIFORMS, StrategyMemory, UniformPair
from econzoo.envs.core.contract.validation import short_repr

V = TypeVar("V")

ObservationDict = dict[str, Any]
"""A structured observation: the fields of a ``View``, with None for what the seat does not know, and ``history``."""


class ScriptedPlayer(Player):
    """A player of a script (`econzoo.envs.core.contract.scripts.Script`), which it keeps nothing for but its seed.

    Attributes:
        numbers: Its arguments.
        initial_memory: What it remembers at the start.
        seed: Of its draws in this match.
    """

    numbers: tuple[float, ...] = ()
    initial_memory: ClassVar[tuple[float, ...]] = ()

    def __init__(self, spec: str) -> None:
        super().__init__(spec)
        self.seed = 0

    def reset(self, seat: int, info: SeatInfo, seed: int) -> None:
        """Keeps the seed of its draws."""
        self.seed = seed

    @staticmethod
    def note(v: Any, past: StrategyMemory) -> None:
        """Writes down what a view shows, for who remembers."""

    def past(self, seen: ObservationDict) -> StrategyMemory:
        """What it remembers of the match."""
        return ()

    def random_numbers(self, round: int) -> UniformPair:
        """Its luck of a round."""
        return ZERO_UNIFORMS


def offers_of_other(moves: Sequence[dict[str, Any]], seat: int) -> list[dict[str, Any]]:
    """Of the moves of a ``history``, the offers that did not come from a seat."""
    return [move for move in moves if move["kind"] == "offer" and move["seat"] != seat]


def view_of(kind: Callable[..., V], seen: Mapping[str, Any]) -> V:
    """The rules' ``View`` of a structured observation."""
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
    """An argument of a spec as a number, whole if asked for, between two bounds, which are allowed unless open.

    Raises:
        ValueError: It is not; the message names the spec, the argument and what is allowed.
    """
    bounds = f"{low:g} {'<' if open_low else '<='} {name} {'<' if open_high else '<='} {high:g}"
    allowed = f"a {'whole number' if integer else 'number'} with {bounds}"
    try:
        number = Real(low, high, is_low_excluded=open_low)(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or (open_high and number == high) or (integer and number % 1):
        raise ValueError(f"player {spec[:80]!r}: {name}={short_repr(value)} is not allowed; allowed: {allowed}")
    return number


def round_generator(seed: int, round: int) -> Random:
    """A generator for one round of one match: asked again in the same round, a strategy draws the same."""
    return Random(f"{seed} {round}")
