"""Hidden bids for a thing that each seat values differently; they are opened at noon and at the end."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, HIDDEN, NO_FEATURE, OPEN, SEVERAL, Bounds, Fact, Integer, Move
from econzoo.envs.core.contract import Real, Uniform, draft, put, to_tuple

WHISPER, WAIT, BID = 0, 1, 2
NONE = -1.0
"""Stands for a value that is not drawn, a bid that is not made or not opened, and for nobody."""

REFUSALS = ("nobody whispers to itself",)


class Params(NamedTuple):
    """One tender."""

    players: Annotated[int, Integer(2, 9), "Seats."] = 3
    rounds: Annotated[int, Integer(1, 100), "Rounds in which all may bid; noon is after the first half of them."] = 4
    highest: Annotated[float, Real(1.0, 1e6), "Most that the thing can be worth, in dollars."] = 10.0


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based.
        values: What the thing is worth to each seat, in dollars, or `NONE`.
        bids: The standing bid of each seat, or `NONE`.
        opened: The bids that were opened last, or `NONE`.
        heard: Whom each seat whispered to in the round before, or `NONE`.
        over: Whether the match has ended.
    """

    round: int
    values: tuple[float, ...]
    bids: tuple[float, ...]
    opened: tuple[float, ...]
    heard: tuple[float, ...]
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        value: What it is worth to this seat, in dollars.
        bid: Its standing bid, or `NONE`.
        opened: The bids that were opened last, or `NONE`.
        heard: For each seat, 1 if it whispered to this one in the round before, else 0.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    highest: float
    value: float
    bid: float
    opened: tuple[float, ...]
    heard: tuple[int, ...]
    over: int


class Result(NamedTuple):
    """What is opened of a seat.

    Attributes:
        opened: Its standing bid, in dollars, or `NONE`.
    """

    opened: float


def initial(p: Params) -> State:
    """No value is drawn."""
    nothing = tuple([NONE] * p.players)
    return State(1, nothing, nothing, nothing, nothing, False)


def to_act(p: Params, s: State) -> int:
    """Nature draws the values, then all move at once."""
    if s.over:
        return DONE
    return CHANCE if s.values[p.players - 1] == NONE else SEVERAL


def chance(p: Params, s: State) -> Uniform:
    """Any value up to the highest is as likely."""
    return Uniform(0.0, p.highest)


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Everything, once the values are drawn."""
    ready = not s.over and s.values[p.players - 1] != NONE
    return ready, ready, ready


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds]:
    """Of the seat that hears, and of the bid."""
    return (0.0, p.players - 1.0), (0.0, p.highest)


def refuses(p: Params, s: State, seat: int, move: Move) -> int:
    """Whispers are for others."""
    return int(move.kind == WHISPER and move.values[0] == seat)


def sees(p: Params, before: State, move: Move, s: State, mover: int, seat: int) -> int:
    """A whisper is for the one who hears it; nobody sees that somebody bids or waits."""
    return OPEN if move.kind == WHISPER and move.values[0] == seat else HIDDEN


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """At noon and at the end all bids are opened."""
    if s.over or before.round == noon(p):
        return tuple([Fact(seat, Result(bid)) for seat, bid in enumerate(s.opened)])
    return ()


def noon(p: Params) -> int:
    """The last round before noon."""
    return (p.rounds + 1) // 2


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """A value is drawn, or all have moved."""
    if moves[0].kind == CHANCE:
        return drawn(p, s, moves[0].values[0])
    bids, heard = draft(s.bids), draft(s.heard)
    for seat in range(p.players):
        kind, values = moves[seat]
        heard = put(heard, seat, values[0] if kind == WHISPER else NONE)
        if kind == BID:
            bids = put(bids, seat, values[0])
    over = s.round == p.rounds
    standing = to_tuple(bids)
    opened = standing if over or s.round == noon(p) else s.opened
    return State(s.round + int(not over), s.values, standing, opened, to_tuple(heard), over)


def drawn(p: Params, s: State, value: float) -> State:
    """The value of the next seat without one."""
    seat = 0
    while s.values[seat] != NONE:
        seat += 1
    return State(s.round, to_tuple(put(draft(s.values), seat, value)), s.bids, s.opened, s.heard, False)


def winner(p: Params, s: State) -> int:
    """The seat with the highest bid, of several the first; -1 if nobody has bid."""
    best = -1
    for seat in range(p.players):
        if s.bids[seat] >= 0.0 and (best < 0 or s.bids[seat] > s.bids[best]):
            best = seat
    return best


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """At the end the winner pays its bid for the thing."""
    best = winner(p, s) if s.over else -1
    return tuple([s.values[i] - s.bids[i] if i == best else 0.0 for i in range(p.players)])


def gains(p: Params, s: State) -> tuple[float, ...]:
    """Payoffs as shares of the most that the thing can be worth."""
    return tuple([payoff / p.highest for payoff in payoffs(p, s)])


def observe(p: Params, s: State, seat: int) -> View:
    """The own value and bid, what was opened, and who whispered to the seat."""
    heard = tuple([int(whom == seat) for whom in s.heard])
    told = s.values[seat], s.bids[seat], s.opened, heard, int(s.over)
    return View(seat, s.round, p.rounds, p.highest, *told)


def feature_names(p: Params) -> tuple[str, ...]:
    """What `features` says."""
    each = [f"{what} of seat {i}" for i in range(p.players) for what in ("bid opened / highest, or -1", "whisper")]
    return "seat / players", "round / rounds", "own value / highest, or -1", "own bid / highest, or -1", *each


def features(v: View) -> tuple[float, ...]:
    """The numbers that `feature_names` describes."""
    own = [part(v, v.value), part(v, v.bid)]
    out = [v.seat / len(v.heard), v.round / v.rounds, own[0], own[1]]
    for seat in range(len(v.heard)):
        out.append(part(v, v.opened[seat]))
        out.append(float(v.heard[seat]))
    return tuple(out)


def part(v: View, amount: float) -> float:
    """An amount as a part of the most that the thing can be worth."""
    return amount / v.highest if amount >= 0.0 else NO_FEATURE
