"""Shared theory of games of two seats: arguments, shares of a reference, and tallies of played moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeVar

from econzoo.envs.core.contract import CHANCE, CustomDomain, Integer, Move, Real, TupleOf, check_argument, short_repr

Counts = Mapping[str, int]
T = TypeVar("T")

SEAT = CustomDomain(Integer(0, 1), "0 or 1")
WEIGHTS = CustomDomain(TupleOf(2, Real(0.0)), "two finite numbers, at least 0 and not both 0")
ROUND, KIND, AMOUNT = Integer(1), Integer(0), Real()
PAYOFFS = TupleOf(2, AMOUNT)


def seat_of(value: Any) -> int:
    """Return a valid seat, 0 or 1."""
    return check_argument("seat", value, SEAT)


def weights_of(value: Any) -> tuple[float, float]:
    """Bargaining power of two seats as shares that sum to 1; equal for None."""
    first, second = check_argument("weights", (1.0, 1.0) if value is None else value, WEIGHTS)
    if first == second == 0.0:
        raise ValueError(f"weights={short_repr(value)}: expected {WEIGHTS.value_range}")
    largest = max(first, second)  # normalise by it first, so that the sum cannot overflow
    share = first / largest / (first / largest + second / largest)
    return share, 1.0 - share


def shares(payoffs: Sequence[float], reference: Sequence[float], threshold: float) -> tuple[float | None, ...]:
    """Divide the payoff of each seat by its reference payoff.

    Args:
        reference: Reference payoffs, in the same unit.
        threshold: References up to here count as 0.

    Returns:
        One ratio per seat; None where the reference is 0.
    """
    own = check_argument("payoffs", payoffs, PAYOFFS)
    return tuple(payoff / due if due > threshold else None for payoff, due in zip(own, reference, strict=True))


def tally_moves(
    rules: Any,
    validate: Callable[[Any], Any],
    count: Callable[[Any, Any, int, Move], Counts],
    record: Callable[..., T],
    params: Any,
    events: Iterable[tuple[int, int, int, float]],
) -> tuple[T, T]:
    """Replay a game of two seats and sum counts over the moves of each seat; `ValueError` for an illegal move.

    Args:
        count: Called as ``count(params, state, seat, move)`` before the move; returns counts by name.
        record: Constructor of the result of a seat from its sums by name.
        events: Moves of the seats in order, each (seat, round, kind, amount) with the kinds of `rules`, without those
            of nature: its first outcome is used, since legality does not depend on it. The game may be unfinished, and
            amounts are not validated, so that foreign records can be read.
    """
    sums: tuple[dict[str, int], dict[str, int]] = ({}, {})
    state = rules.initial(validate(params))
    for event in check_argument("events", events, CustomDomain(iter, "a sequence of moves")):
        if rules.to_act(params, state) == CHANCE:
            state = rules.apply(params, state, (Move(CHANCE, (rules.chance(params, state)[0][0],)),))
        seat, round, move = check_argument("event", event, EVENT)
        legal = rules.legal(params, state, seat)
        if round != state.round or move.kind >= len(legal) or not legal[move.kind]:
            raise ValueError(f"event={short_repr(event)}: illegal in {state}")
        own = sums[seat]
        for name, number in count(params, state, seat, move).items():
            own[name] = own.get(name, 0) + number
        state = rules.apply(params, state, (move,))
    return record(**sums[0]), record(**sums[1])


def _parse_event(event: Any) -> tuple[int, int, Move]:
    seat, round, kind, amount = event
    plain = type(seat) is type(round) is type(kind) is int and type(amount) is float  # the fast path
    if plain and 0 <= seat <= 1 <= round and kind >= 0 and isfinite(amount):
        return seat, round, Move(kind, (amount,))
    return SEAT(seat), ROUND(round), Move(KIND(kind), (AMOUNT(amount),))


EVENT = CustomDomain(_parse_event, "(seat, round, kind, amount), three integers and a finite amount")
