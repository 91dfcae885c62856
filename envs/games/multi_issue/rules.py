"""Two seats divide items of several kinds with different values to each (Lewis et al. 2017, section 2).

They take turns, seat 0 first. A seat makes an offer, talks (which changes nothing), or accepts the other's offer, or
walks away from it. Pure functions of numbers, which also compile.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

from econzoo.envs.core.contract import DONE, NO_FEATURE, Bounds, Flag, Integer, Move, Real, TupleOf, draft, put
from econzoo.envs.core.contract import to_tuple
from econzoo.envs.families.offers import end_features, proposer

OFFER, ACCEPT, TALK, LEAVE = 0, 1, 2, 3
NOBODY = -1
NO_NUMBER = -1.0
"""Unknown or missing number in a tuple."""

MAX_ITEMS = 5
"""Maximum number of items of one kind, as in pools of 5 to 7 items of three kinds."""

MAX_KINDS, MAX_TURNS = 6, 100

Values: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
ITEMS, VALUES = (
    TupleOf(MAX_KINDS, Integer(1, MAX_ITEMS), min_length=1),
    TupleOf(2, TupleOf(MAX_KINDS, Integer(0, 100), min_length=1)),
)


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        limits: Range of each kind in an offer; a parameter, since building tuples is slow in compiled rules.
    """

    items: Annotated[tuple[int, ...], ITEMS, "Number of items of each kind."] = (3, 2, 1)
    values: Annotated[Values, VALUES, "Points per item of each kind."] = ((1, 3, 1), (2, 1, 2))
    horizon: Annotated[int, Integer(2, MAX_TURNS), "Last turn, in which no offers can be made."] = 10
    delta: Annotated[float, Real(0.0, 1.0, is_low_excluded=True), "Discount factor per turn, for both seats."] = 1.0
    complete_information: Annotated[bool, Flag(), "Whether each seat knows the other's values."] = False
    limits: tuple[Bounds, ...] = ((0.0, 3.0), (0.0, 2.0), (0.0, 1.0))


class State(NamedTuple):
    """A position.

    Attributes:
        round: Turn, 1-based; seat 0 moves in odd turns, seat 1 in even ones.
        first: Items of each kind that the current offer gives seat 0; `NO_NUMBER` before the first offer.
        by: The seat that made it, or `NOBODY`.
        agreed: Whether it was accepted.
        over: Whether the game has ended.
    """

    round: int
    first: tuple[float, ...]
    by: int
    agreed: bool
    over: bool


class View(NamedTuple):
    """Observation of one seat.

    Attributes:
        seat: The observing seat, 0 or 1.
        round: Turn, 1-based.
        own_values: Value of one item of each kind to this seat, in points.
        other_values: Value of one item of each kind to the other, in points; all -1 if unknown.
        own_items: Items of each kind that the current offer gives this seat; all -1 before the first offer.
        by: The seat that made the offer, or -1.
        over: 1 if the game has ended, else 0.
        agreed: 1 if it ended in agreement, else 0.
    """

    seat: int
    round: int
    horizon: int
    delta: float
    items: tuple[int, ...]
    own_values: tuple[int, ...]
    other_values: tuple[int, ...]
    own_items: tuple[float, ...]
    by: int
    over: int
    agreed: int


def initial(p: Params) -> State:
    """Turn 1, without an offer."""
    return State(1, tuple([NO_NUMBER for _ in p.items]), NOBODY, False, False)


def to_act(p: Params, s: State) -> int:
    """The seats in turn; DONE at the end."""
    return DONE if s.over else proposer(s)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool, bool]:
    """Whether offer, accept, talk and leave are legal; leaving requires an offer of the other, or the last turn."""
    mine, last, asked = seat == to_act(p, s), s.round == p.horizon, s.by == 1 - seat
    return mine and not last, mine and asked, mine and not last, mine and (asked or last)


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, ...]:
    """Range of each kind in an offer."""
    return p.limits


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after a legal move."""
    kind, keep = moves[0]
    if kind == OFFER:
        return State(
            s.round + 1, keep if proposer(s) == 0 else remaining_items(p.items, keep), proposer(s), False, False
        )
    ends = kind != TALK
    return State(s.round + (not ends), s.first, s.by, kind == ACCEPT, ends)


def remaining_items(every: tuple[int, ...], items: tuple[float, ...]) -> tuple[float, ...]:
    """Items of each kind that remain."""
    left = draft(items)
    for k in range(len(every)):
        left = put(left, k, every[k] - items[k])
    return to_tuple(left)


def total_value(values: tuple[float, ...], items: tuple[float, ...]) -> float:
    """Total value of items in points; 0 before the first offer."""
    total = 0.0
    for k in range(len(values)):
        total += values[k] * max(items[k], 0.0)
    return total


def division_points(p: Params, first: tuple[float, ...]) -> tuple[float, float]:
    """Undiscounted points of both seats of a division; `first` are the items of seat 0."""
    return total_value(p.values[0], first), total_value(p.values[1], remaining_items(p.items, first))


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Discounted points of both seats; 0 without agreement."""
    if not s.agreed:
        return 0.0, 0.0
    (one, other), left = division_points(p, s.first), p.delta ** (s.round - 1.0)
    return left * one, left * other


def gains(p: Params, s: State) -> tuple[float, float]:
    """Self-gains: discounted points as shares of the seat's value of all items."""
    one, other = payoffs(p, s)
    return one / total_value(p.values[0], p.items), other / total_value(p.values[1], p.items)


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything, but the other's values only with complete information."""
    others = draft(p.values[1 - seat])
    for k in range(len(p.items)):
        others = put(others, k, p.values[1 - seat][k] if p.complete_information else -1)
    own = s.first if seat == 0 or s.by == NOBODY else remaining_items(p.items, s.first)
    return View(
        seat,
        s.round,
        p.horizon,
        p.delta,
        p.items,
        p.values[seat],
        to_tuple(others),
        own,
        s.by,
        int(s.over),
        int(s.agreed),
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """Names of `features`."""
    names = ["seat: 0 or 1", "turn over last turn: 0 to 1", "discount factor per turn: 0 to 1"]
    names.append("whose offer is on the table: 1 own, -1 the other's, 0 nobody's")
    names.append("share of all own points that this offer gives this seat: 0 to 1, or -1 before the first offer")
    for k in range(1, len(p.items) + 1):
        names += [
            f"items of kind {k}, over 5: 0 to 1",
            f"an item of kind {k}, as a share of all own points: 0 to 1",
            f"an item of kind {k}, as a share of all points of the other: 0 to 1, or -1 if unknown",
            f"share of kind {k} that the offer gives this seat: 0 to 1, or -1 before the first offer",
        ]
    names += ["turns left n, this one included, as 1 / n: 0 to 1", "whether the last turn is this seat's: 0 or 1"]
    return tuple(names)


def features(v: View) -> tuple[float, ...]:
    """Features of a view; see `feature_names`."""
    offered, own, other = v.by != NOBODY, total_value(v.own_values, v.items), total_value(v.other_values, v.items)
    share = total_value(v.own_values, v.own_items) / own if offered else NO_FEATURE
    side = (1.0 if v.by == v.seat else -1.0) if offered else 0.0
    numbers = [float(v.seat), v.round / v.horizon, v.delta, side, share]
    for k in range(len(v.items)):
        numbers.append(v.items[k] / MAX_ITEMS)
        numbers.append(v.own_values[k] / own)
        numbers.append(v.other_values[k] / other if v.other_values[k] >= 0 else NO_FEATURE)
        numbers.append(v.own_items[k] / v.items[k] if offered else NO_FEATURE)
    left, last = end_features(v)
    numbers += [left, last]
    return tuple(numbers)
