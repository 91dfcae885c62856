"""The open-source iterated game of two moves (Tennenholtz 2004; Sistla and Kleiman-Weiner 2025, arXiv:2512.00371).

In each meta-round both authors submit a program at once. The two programs read each other and play the iterated game of
a table. A program that fails to answer makes no move: it forfeits the turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import econzoo.envs.games.matrix.rules as matrix
from econzoo.envs.core.contract import NO_FEATURE, UNKNOWN, Move
from econzoo.envs.families.open_source import MetaRounds, RoundCounts, finished_rounds
from econzoo.envs.games.matrix.rules import C, D

FORFEIT = 2
"""Kind of move of a forfeited turn."""


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        table: Points of seat 0 for CC, CD, DC, DD, then of seat 1 for the same cells; seat 0's move is named first.
        rounds: Meta-rounds, >= 1.
        turns: Turns of the base game in each, >= 1.
        noise: Probability that a move comes out as the other one, in [0, 1/2].
        limits: See `MetaRounds`.
        policies: See `MetaRounds`.
    """

    table: tuple[float, float, float, float, float, float, float, float]
    rounds: int
    turns: int
    noise: float
    limits: tuple[float, ...]
    policies: tuple[int, ...]


def cell(p: Params, seat: int, own: int, other: int) -> float:
    """Points of a seat for two moves."""
    return p.table[2 * own + other] if seat == 0 else p.table[4 + 2 * other + own]


def turn_payoff(p: Params, seat: int, own: int, other: int) -> float:
    """Points of a seat for a turn, which may be forfeited.

    A seat that forfeits gets its smallest payoff in the table. Against a forfeit a move gets the mean of its payoffs,
    as against a uniformly random move.
    """
    if own == FORFEIT:
        return min([cell(p, seat, one, another) for one in (C, D) for another in (C, D)])
    if other == FORFEIT:
        return (cell(p, seat, own, C) + cell(p, seat, own, D)) / 2.0
    return cell(p, seat, own, other)


COOPERATION = (
    "Part of the turns of the last meta-round that came out C, whoever chose it; UNKNOWN before there was one."
)


class MatrixMetaRounds(MetaRounds):
    """The iterated game; noise is applied by the referee."""

    rules = matrix
    setting = ("turns", "noise", "cc", "cd", "dc", "dd", "other_cc", "other_cd", "other_dc", "other_dd")
    tally = (("cooperation", COOPERATION),)
    initial_count = UNKNOWN
    view_counts = (
        ("own_cooperation", "cooperation", False, COOPERATION),
        ("other_cooperation", "cooperation", True, "The same of the other seat."),
    )

    def base(self, p: Params) -> matrix.Params:
        """The game of one meta-round, without noise."""
        return matrix.Params(p.table, p.turns, 1, 0.0)

    def count(self, p: Params, inner: matrix.State, program_moves: tuple[list[Move], list[Move]]) -> RoundCounts:
        """Points, those of forfeited turns among them, and cooperation."""
        turns = [(one.kind, other.kind) for one, other in zip(*program_moves, strict=True)]
        one, other = (sum([turn_payoff(p, i, turn[i], turn[1 - i]) for turn in turns], 0.0) for i in (0, 1))
        own, others = ([turn[i] for turn in turns].count(C) / p.turns for i in (0, 1))
        return RoundCounts((one, other), ((own, others),))


META = MatrixMetaRounds(__name__)
State, View, Result = META.State, META.View, META.Result
initial, to_act, legal, apply = META.initial, META.to_act, META.legal, META.apply
payoffs, observe = META.payoffs, META.observe


def gains(p: Params, s: Any) -> tuple[float, float]:
    """Mean points a turn, scaled so that 0 is the least and 1 the most in the seat's table; turns to come count 0."""
    return share(p, s, 0), share(p, s, 1)


def share(p: Params, s: Any, seat: int) -> float:
    """See `gains`."""
    own = p.table[4 * seat : 4 * seat + 4]
    low, width = min(own), max(own) - min(own)
    if width == 0.0:
        return 0.0
    return (s.score[seat] - low * p.turns * finished_rounds(s)) / (width * p.turns * p.rounds)


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


def features(v: Any) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`."""
    own = (v.cc, v.cd, v.dc, v.dd)
    low, width = min(own), (max(own) - min(own)) or 1.0
    last = NO_FEATURE if v.own_last == UNKNOWN else (v.own_last / v.turns - low) / width
    cooperation = [NO_FEATURE if x == UNKNOWN else x for x in (v.own_cooperation, v.other_cooperation)]
    return (
        float(v.seat),
        v.round / v.rounds,
        2.0 * v.noise,
        *[(x - low) / width for x in own],
        last,
        *cooperation,
        v.own_failed / v.turns,
        v.other_failed / v.turns,
    )
