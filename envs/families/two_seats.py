"""What the theory of all games of two seats does the same way: what it takes, shares of a reference, played moves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, TypeVar

from econzoo.envs.core.contract.arguments import check_argument
from econzoo.envs.core.contract.game import CHANCE, Move
from econzoo.envs.core.contract.parameters import CustomDomain, Integer, Real, TupleOf
from econzoo.envs.core.contract.validation import short_repr

Counts = Mapping[str, int]
T = TypeVar("T")

SEAT = CustomDomain(Integer(0, 1), "0 or 1")
WEIGHTS = CustomDomain(TupleOf(2, Real(0.0)), "two finite numbers, at least 0 and not both 0")
ROUND, KIND, AMOUNT = Integer(1), Integer(0), Real()
PAYOFFS = TupleOf(2, AMOUNT)


def seat_of(value: Any) -> int:
    """The seat of a game for two, if it is one."""
    return check_argument("seat", value, SEAT)


def weights_of(value: Any) -> tuple[float, float]:
    """Bargaining power of two seats as shares that sum to 1; equal for None.

    Raises:
        ValueError: A weight is negative or not finite, or both are 0.
    """
    first, second = check_argument("weights", (1.0, 1.0) if value is None else value, WEIGHTS)
    if first == second == 0.0:
        raise ValueError(f"weights={short_repr(value)}: must be {WEIGHTS.value_range}")
    largest = max(first, second)  # divided by first, so that the sum cannot overflow
    share = first / largest / (first / largest + second / largest)
    return share, 1.0 - share


def shares(payoffs: Sequence[float], reference: Sequence[float], threshold: float) -> tuple[float | None, ...]:
    """Each of two seats' payoff divided by what it was due: 1.0 where it got just that.

    Args:
        payoffs: What the seats got.
        reference: What they are measured by, in the same unit.
        threshold: What is due up to here counts as nothing.

    Returns:
        One ratio a seat; None where nothing is due and no ratio exists.

    Raises:
        ValueError: These are not two finite payoffs.
    """
    got = check_argument("payoffs", payoffs, PAYOFFS)
    return tuple(own / fair if fair > threshold else None for own, fair in zip(got, reference, strict=True))


def tally_moves(
    rules: Any,
    validate: Callable[[Any], Any],
    count: Callable[[Any, Any, int, Move], Counts],
    record: Callable[..., T],
    params: Any,
    events: Iterable[tuple[int, int, int, float]],
) -> tuple[T, T]:
    """Plays a game of two seats again and sums what every move counts for.

    Args:
        rules: Of the game.
        validate: Gives the same market, if it is one.
        count: Called as ``count(params, state, seat, move)`` before the move; gives numbers by name.
        record: Made of the sums of a seat, by name.
        params: The market.
        events: Moves of the seats in order, each (seat, round, kind, amount) with the kinds of `rules`, without those
            of nature: the first of its outcomes stands for any, since what is legal does not depend on it. The game may
            be unfinished, and amounts are taken as they are, so that foreign records can be read.

    Returns:
        The record of each seat.

    Raises:
        ValueError: The market is none, or a move is out of turn or round, of an unknown kind, has no finite amount, or
            is no such tuple.
    """
    sums: tuple[dict[str, int], dict[str, int]] = ({}, {})
    state = rules.initial(validate(params))
    for event in check_argument("events", events, CustomDomain(iter, "a sequence of moves")):
        if rules.to_act(params, state) == CHANCE:
            state = rules.apply(params, state, (Move(CHANCE, (rules.chance(params, state)[0][0],)),))
        seat, round, move = check_argument("event", event, EVENT)
        legal = rules.legal(params, state, seat)
        if round != state.round or move.kind >= len(legal) or not legal[move.kind]:
            raise ValueError(f"event={short_repr(event)}: not possible in {state}")
        own = sums[seat]
        for name, number in count(params, state, seat, move).items():
            own[name] = own.get(name, 0) + number
        state = rules.apply(params, state, (move,))
    return record(**sums[0]), record(**sums[1])


def _parse_event(event: Any) -> tuple[int, int, Move]:
    seat, round, kind, amount = event
    plain = type(seat) is type(round) is type(kind) is int and type(amount) is float  # as nearly all are
    if plain and 0 <= seat <= 1 <= round and kind >= 0 and isfinite(amount):
        return seat, round, Move(kind, (amount,))
    return SEAT(seat), ROUND(round), Move(KIND(kind), (AMOUNT(amount),))


EVENT = CustomDomain(_parse_event, "(seat, round, kind, amount), three whole numbers of the game and a finite amount")
