"""Last one standing. Every round those still in bid at once; the lowest bid leaves (of equal ones the later seat)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, NO_FEATURE, SEVERAL, UNKNOWN, Integer, Move, Real


class Params(NamedTuple):
    """One match."""

    players: Annotated[int, Integer(2, 9), "Seats."] = 3
    highest: Annotated[float, Real(1.0, 1000000.0), "Highest bid allowed."] = 10.0


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based.
        left_in: Round in which each seat left; 0 while it is in.
        lowest: Lowest bid of the round before, or UNKNOWN.
        bids: Bids of the round before; -1 of seats that made none.
    """

    round: int
    left_in: tuple[int, ...]
    lowest: float
    bids: tuple[float, ...]


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        standing: 1 if this seat is still in, else 0.
        others: How many others are in.
        lowest: Lowest bid of the round before, or UNKNOWN.
        over: 1 if the match has ended, else 0.
        bids: Bids of the round before; -1 of seats that made none.
    """

    seat: int
    round: int
    players: int
    highest: float
    standing: int
    others: int
    lowest: float
    over: int
    bids: tuple[float, ...]


def feature_names(p: Params) -> tuple[str, ...]:
    """What `features` says."""
    bids = [f"bid of seat {seat} before / highest, or -1" for seat in range(p.players)]
    return "seat / players", "still in", "others in / players", "lowest bid before / highest, or -1", *bids


def initial(p: Params) -> State:
    """All are in."""
    return State(1, tuple([0] * p.players), UNKNOWN, tuple([-1.0] * p.players))


def alive(p: Params, s: State, seat: int) -> bool:
    """Whether the seat is still in."""
    return s.left_in[seat] == 0


def standing(s: State) -> list[int]:
    """The seats that are still in."""
    return [seat for seat, left in enumerate(s.left_in) if left == 0]


def to_act(p: Params, s: State) -> int:
    """All who are in, until one is left."""
    return DONE if len(standing(s)) == 1 else SEVERAL


def legal(p: Params, s: State, seat: int) -> tuple[bool]:
    """Bidding, while in and not alone."""
    return (alive(p, s, seat) and to_act(p, s) == SEVERAL,)


def bounds(p: Params, s: State, seat: int) -> tuple[tuple[float, float]]:
    """From nothing to the highest bid."""
    return ((0.0, p.highest),)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """The lowest leaves; of several the last seat."""
    loser, lowest, told = -1, p.highest, [-1.0] * p.players
    for seat in standing(s):
        told[seat] = moves[seat].values[0]
        if told[seat] <= lowest:
            loser, lowest = seat, told[seat]
    left = [s.round if seat == loser else s.left_in[seat] for seat in range(p.players)]
    return State(s.round + 1, tuple(left), lowest, tuple(told))


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Rounds survived."""
    return tuple([float(max(left, s.round * int(left == 0)) - 1) for left in s.left_in])


def observe(p: Params, s: State, seat: int) -> View:
    """Everything but the bids of the round that is being played."""
    inside = standing(s)
    others = len([i for i in inside if i != seat])
    over = int(to_act(p, s) == DONE or seat not in inside)
    return View(seat, s.round, p.players, p.highest, int(seat in inside), others, s.lowest, over, s.bids)


def features(v: View) -> tuple[float, ...]:
    """The numbers that `FEATURES` describes."""
    lowest = v.lowest / v.highest if v.lowest >= 0 else NO_FEATURE
    out = [v.seat / v.players, float(v.standing), v.others / v.players, lowest]
    return tuple(out + [bid / v.highest if bid >= 0 else NO_FEATURE for bid in v.bids])
