"""The open-source iterated game of two moves (Tennenholtz 2004; Sistla and Kleiman-Weiner 2025, arXiv:2512.00371).

In each meta-round both authors submit a program at once. The two programs read each other and play the iterated game of
a table. What they play is found out by the game's referee; the rules get their moves and count. A program that fails to
answer makes no move: it forfeits the turn.
"""

from __future__ import annotations

from typing import NamedTuple

from econzoo.envs.core.game import NO_FEATURE, UNKNOWN, Move
from econzoo.envs.families.open_source.meta_rounds import legal, payoffs, to_act  # noqa: F401 (its rules too)
from econzoo.envs.games.matrix.rules import C, D

FORFEIT = 2
"""Kind of a move that a program did not make; its number is the `Failure`."""


class Params(NamedTuple):
    """One match.

    Attributes:
        table: Points of seat 0 for CC, CD, DC, DD, then of seat 1 for the same cells; seat 0's move is named first.
        rounds: Meta-rounds, >= 1.
        turns: Turns of the base game in each, >= 1.
        noise: Probability that a move comes out as the other one, in [0, 1/2].
        limits: What a program may use: the fields of `econzoo.envs.families.open_source.limits.Limits`.
        policies: What becomes of a turn without an answer, by `Failure` from 1 on: C, D, `FORFEIT`, or one more for a
            move that is drawn.
    """

    table: tuple[float, float, float, float, float, float, float, float]
    rounds: int
    turns: int
    noise: float
    limits: tuple[float, ...]
    policies: tuple[int, ...]


class State(NamedTuple):
    """A position. Tuples have one entry a seat; ``last`` is the meta-round before, UNKNOWN or 0 before the first.

    Attributes:
        round: Meta-round, 1-based; stays at the last one when the match is over.
        score: Points of all turns so far.
        last: Points of the last meta-round.
        cooperation: Turns of the last meta-round that came out C, whoever chose it, as a part of all turns.
        failed: Turns of the last meta-round that the program did not answer.
        failures: Turns of all meta-rounds that a program of the seat did not answer.
        over: Whether the match has ended.
    """

    round: int
    score: tuple[float, float]
    last: tuple[float, float]
    cooperation: tuple[float, float]
    failed: tuple[int, int]
    failures: tuple[int, int]
    over: bool


class View(NamedTuple):
    """What one seat may know: everything but the programs of the round. In cells its own move is named first.

    Attributes:
        seat: The seat that looks: 0 or 1.
        round: Meta-round, 1-based.
        rounds: Meta-rounds of the match.
        turns: Turns of the base game in each.
        noise: Probability that a move comes out as the other one.
        cc: Points of this seat if both play C.
        cd: Points of this seat for its C against the other's D.
        dc: Points of this seat for its D against the other's C.
        dd: Points of this seat if both play D.
        other_cc: Points of the other seat if both play C.
        other_cd: Points of the other seat if this seat plays C and the other D.
        other_dc: Points of the other seat if this seat plays D and the other C.
        other_dd: Points of the other seat if both play D.
        own_score: Points of this seat so far.
        other_score: Points of the other seat so far.
        own_last: Points of this seat in the last meta-round, or UNKNOWN.
        other_last: Points of the other seat in the last meta-round, or UNKNOWN.
        own_cooperation: Turns of the last meta-round in which this seat played C as it came out, whether its program
            chose that or a policy or noise did, as a part of all turns; or UNKNOWN.
        other_cooperation: The same of the other seat.
        own_failed: Turns of the last meta-round that this seat's program did not answer.
        other_failed: The same of the other seat.
        seconds: What a program has for one turn.
        policies: What becomes of turns without an answer (see `Params`).
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    turns: int
    noise: float
    cc: float
    cd: float
    dc: float
    dd: float
    other_cc: float
    other_cd: float
    other_dc: float
    other_dd: float
    own_score: float
    other_score: float
    own_last: float
    other_last: float
    own_cooperation: float
    other_cooperation: float
    own_failed: int
    other_failed: int
    seconds: float
    policies: tuple[int, ...]
    over: int


class Result(NamedTuple):
    """Public result of a meta-round for one seat, of numbers and words.

    Attributes:
        moves: What its program played, one letter a turn: C, D, or - for a turn that it forfeited.
        against: What the other program played.
        payoff: Points of the meta-round.
        failed: Turns that its program did not answer.
        failure: Why, the first time; empty if it always answered.
        problem: The same in detail, with the line of the program where it is known.
    """

    moves: str
    against: str
    payoff: float
    failed: int
    failure: str
    problem: str


def initial(p: Params) -> State:
    """Nothing submitted."""
    nothing = (UNKNOWN, UNKNOWN)
    return State(1, (0.0, 0.0), nothing, nothing, (0, 0), (0, 0), False)


def cell(p: Params, seat: int, own: int, other: int) -> float:
    """Points of a seat for two moves."""
    return p.table[2 * own + other] if seat == 0 else p.table[4 + 2 * other + own]


def paid(p: Params, seat: int, own: int, other: int) -> float:
    """Points of a seat for a turn, in which somebody may have made no move.

    Whoever makes no move gets the least that the table has for its seat. Whoever moved gets the mean of what its move
    could have brought, as against a coin: less than against a program that would have played for it, more than against
    one that would have played against it.
    """
    if own == FORFEIT:
        return min([cell(p, seat, one, another) for one in (C, D) for another in (C, D)])
    if other == FORFEIT:
        return (cell(p, seat, own, C) + cell(p, seat, own, D)) / 2.0
    return cell(p, seat, own, other)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """The position after a meta-round; the moves of both programs, turn by turn, seat 0 first in each."""
    kinds = [[move.kind for move in moves[seat::2]] for seat in (0, 1)]
    last = [0.0, 0.0]
    for first, second in zip(*kinds, strict=True):
        last[0] += paid(p, 0, first, second)
        last[1] += paid(p, 1, second, first)
    failed = [sum([1 for move in moves[seat::2] if move.values[0] > 0.0]) for seat in (0, 1)]
    cooperation = [kinds[seat].count(C) / p.turns for seat in (0, 1)]
    over = s.round == p.rounds
    return State(
        s.round if over else s.round + 1,
        (s.score[0] + last[0], s.score[1] + last[1]),
        (last[0], last[1]),
        (cooperation[0], cooperation[1]),
        (failed[0], failed[1]),
        (s.failures[0] + failed[0], s.failures[1] + failed[1]),
        over,
    )


def gains(p: Params, s: State) -> tuple[float, float]:
    """Mean points a turn, scaled so that 0 is the least and 1 the most in the seat's table; turns to come count 0."""
    return share(p, s, 0), share(p, s, 1)


def meta_rounds(s: State) -> int:
    """Meta-rounds that are over."""
    return s.round if s.over else s.round - 1


def share(p: Params, s: State, seat: int) -> float:
    """See `gains`."""
    own = p.table[4 * seat : 4 * seat + 4]
    low, width = min(own), max(own) - min(own)
    if width == 0.0:
        return 0.0
    return (s.score[seat] - low * p.turns * meta_rounds(s)) / (width * p.turns * p.rounds)


def observe(p: Params, s: State, seat: int) -> View:
    """Everything that is over; programs are public once both are submitted."""
    other = 1 - seat
    return View(
        seat,
        s.round,
        p.rounds,
        p.turns,
        p.noise,
        cell(p, seat, C, C),
        cell(p, seat, C, D),
        cell(p, seat, D, C),
        cell(p, seat, D, D),
        cell(p, other, C, C),
        cell(p, other, D, C),
        cell(p, other, C, D),
        cell(p, other, D, D),
        s.score[seat],
        s.score[other],
        s.last[seat],
        s.last[other],
        s.cooperation[seat],
        s.cooperation[other],
        s.failed[seat],
        s.failed[other],
        p.limits[0],
        p.policies,
        int(s.over),
    )


FEATURES = (
    "seat: 0 or 1",
    "meta-round over the number of meta-rounds: 0 to 1",
    "noise, doubled: 0 to 1",
    *[
        f"points for {cell}, the own move first, from the least (0) to the most (1) of the own table: 0 to 1"
        for cell in ("CC", "CD", "DC", "DD")
    ],
    "own points a turn of the last meta-round on the same scale: 0 to 1, or -1 before the first",
    "share of own turns that came out C in the last meta-round: 0 to 1, or -1 before the first",
    "share of the other's turns that came out C in the last meta-round: 0 to 1, or -1 before the first",
    "share of own turns without an answer in the last meta-round: 0 to 1",
    "share of the other's turns without an answer in the last meta-round: 0 to 1",
)


def features(v: View) -> tuple[float, ...]:
    """The view as the numbers that `FEATURES` describes."""
    own = (v.cc, v.cd, v.dc, v.dd)
    low, width = min(own), (max(own) - min(own)) or 1.0
    last = NO_FEATURE if v.own_last == UNKNOWN else (v.own_last / v.turns - low) / width
    told = [NO_FEATURE if x == UNKNOWN else x for x in (v.own_cooperation, v.other_cooperation)]
    return (
        float(v.seat),
        v.round / v.rounds,
        2.0 * v.noise,
        *[(x - low) / width for x in own],
        last,
        *told,
        v.own_failed / v.turns,
        v.other_failed / v.turns,
    )
