"""Contributing together, then punishing one by one. Whoever has less than nothing is out."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, SEVERAL, Bounds, Integer, Move, Real, draft, put, to_tuple

CONTRIBUTE, PUNISH, SPARE = 0, 1, 2

ALL = -1
"""Stands for a seat where all contribute."""

REFUSALS = ("nobody can punish itself", "that player is out")

MOST_POINTS = 10
"""Points that one can use against another in a round."""


class Params(NamedTuple):
    """One match."""

    players: Annotated[int, Integer(2, 9), "Seats."] = 3
    rounds: Annotated[int, Integer(1, 100), "Rounds."] = 2
    start: Annotated[float, Real(0.0, 1e6), "Money of each seat at the start, in dollars."] = 5.0
    endowment: Annotated[float, Real(1.0, 1e6), "What each gets in a round, in dollars."] = 20.0
    share: Annotated[float, Real(0.0, 1.0), "What each gets for a dollar that somebody contributes."] = 0.4
    harm: Annotated[float, Real(0.0, 100.0), "What a point costs the one who is punished, in dollars."] = 3.0


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based.
        turn: The seat that may punish, or `ALL` if all contribute.
        gave: What each seat contributed last.
        money: Of each seat, in dollars.
        over: Whether the match has ended.
    """

    round: int
    turn: int
    gave: tuple[float, ...]
    money: tuple[float, ...]
    over: bool


class View(NamedTuple):
    """What one seat may know.

    Attributes:
        seat: The seat that looks.
        round: Round, 1-based.
        turn: The seat that may punish, or -1 if all contribute.
        gave: What each seat contributed last.
        money: Of each seat, in dollars.
        over: 1 if the match has ended for this seat, else 0.
    """

    seat: int
    round: int
    rounds: int
    turn: int
    start: float
    endowment: float
    share: float
    harm: float
    gave: tuple[float, ...]
    money: tuple[float, ...]
    over: int


def feature_names(p: Params) -> tuple[str, ...]:
    """What `features` says."""
    each = [f"{what} of seat {seat}" for seat in range(p.players) for what in ("contribution / endowment", "money m")]
    return "seat / players", "round / rounds", "contributing", *each


def initial(p: Params) -> State:
    """Nobody has given anything."""
    return State(1, ALL, tuple([0.0] * p.players), tuple([p.start] * p.players), False)


def alive(p: Params, s: State, seat: int) -> bool:
    """Whether a seat is still in."""
    return s.money[seat] >= 0.0


def to_act(p: Params, s: State) -> int:
    """All contribute, then one after the other may punish."""
    if s.over:
        return DONE
    return SEVERAL if s.turn == ALL else s.turn


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool]:
    """Contributing, or punishing (who can pay for a point) or not."""
    mine = not s.over and s.turn == seat
    return not s.over and s.turn == ALL and alive(p, s, seat), mine and s.money[seat] >= 1.0, mine


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds, Bounds]:
    """Of the contribution, the seat and the points, which must be paid for."""
    points = max(1.0, min(float(MOST_POINTS), s.money[seat]))
    return (0.0, p.endowment), (0.0, p.players - 1.0), (1.0, points)


def refuses(p: Params, s: State, seat: int, move: Move) -> int:
    """Only others who are in can be punished."""
    if move.kind != PUNISH:
        return 0
    whom = int(move.values[0])
    if whom == seat:
        return 1
    return 0 if alive(p, s, whom) else 2


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Everybody gets a share of all contributions; a point costs both."""
    if s.turn == ALL:
        return contributed(p, s, moves)
    kind, values = moves[0]
    money = draft(s.money)
    if kind == PUNISH:
        whom, points = int(values[0]), values[1]
        money = put(money, s.turn, s.money[s.turn] - points)
        money = put(money, whom, s.money[whom] - p.harm * points)
    return next_turn(p, State(s.round, s.turn, s.gave, to_tuple(money), False), s.turn + 1)


def contributed(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """After all have contributed."""
    total, gave, money = 0.0, draft(s.gave), draft(s.money)
    for seat in range(p.players):
        total += moves[seat].values[0]
    for seat in range(p.players):
        given = moves[seat].values[0]
        gave = put(gave, seat, given)
        if alive(p, s, seat):
            money = put(money, seat, s.money[seat] + p.endowment - given + p.share * total)
    return next_turn(p, State(s.round, ALL, to_tuple(gave), to_tuple(money), False), 0)


def next_turn(p: Params, s: State, seat: int) -> State:
    """The next seat that is in may punish; after the last one the next round begins."""
    living, turn = 0, seat
    for i in range(p.players):
        living += int(alive(p, s, i))
    while turn < p.players and not alive(p, s, turn):
        turn += 1
    last = turn == p.players
    over = living < 2 or (last and s.round == p.rounds)
    return State(s.round + int(last and not over), ALL if last else turn, s.gave, s.money, over)


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Money."""
    return s.money


def best(p: Params) -> float:
    """What a seat gains where all do what is best for all."""
    return p.rounds * p.endowment * max(1.0, p.share * p.players)


def gains(p: Params, s: State) -> tuple[float, ...]:
    """What each gained, as a share of what it gains where all do what is best for all."""
    return tuple([(money - p.start) / best(p) for money in s.money])


def observe(p: Params, s: State, seat: int) -> View:
    """Everything but the contributions of the round that is being played."""
    over = int(s.over or not alive(p, s, seat))
    told = p.start, p.endowment, p.share, p.harm, s.gave, s.money, over
    return View(seat, s.round, p.rounds, s.turn, *told)


def features(v: View) -> tuple[float, ...]:
    """The numbers that `feature_names` describes; money m as m / (|m| + endowment)."""
    out = [v.seat / len(v.gave), v.round / v.rounds, float(int(v.turn < 0))]
    for seat in range(len(v.gave)):
        out.append(v.gave[seat] / v.endowment)
        out.append(v.money[seat] / (abs(v.money[seat]) + v.endowment))
    return tuple(out)
