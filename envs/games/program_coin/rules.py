"""The open-source coin game (Sistla and Kleiman-Weiner 2025, arXiv:2512.00371).

In each meta-round both authors submit a program at once. The two programs read each other and play the coin game
(`econzoo.envs.games.coin_game.rules`). What they play is found out by the game's referee; the rules get their moves and
nature's, and count. A program that fails to answer stays where it is: it forfeits the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import econzoo.envs.games.coin_game.rules as coin_game
from econzoo.envs.core.game import CHANCE, NO_FEATURE, UNKNOWN, Move
from econzoo.envs.families.open_source.meta_rounds import legal, payoffs, to_act  # noqa: F401 (its rules too)

FORFEIT = coin_game.STAY


class Params(NamedTuple):
    """One match.

    Attributes:
        size: Rows and columns of the board, >= 2.
        rounds: Meta-rounds, >= 1.
        turns: Turns of the coin game in each, >= 1.
        limits: What a program may use: the fields of `econzoo.envs.families.open_source.limits.Limits`.
        policies: What becomes of a turn without an answer, by `Failure` from 1 on: a move, `FORFEIT`, or one more for a
            move that is drawn.
    """

    size: int
    rounds: int
    turns: int
    limits: tuple[float, ...]
    policies: tuple[int, ...]


class State(NamedTuple):
    """A position. Tuples have one entry a seat; ``last`` is UNKNOWN before the first meta-round is over.

    Attributes:
        round: Meta-round, 1-based; stays at the last one when the match is over.
        score: Points of all turns so far.
        last: Points of the last meta-round.
        own: Coins of the own colour taken in the last meta-round.
        others: Coins of the other's colour taken in the last meta-round.
        failed: Turns of the last meta-round that the program did not answer.
        taken: Coins of either colour taken in all meta-rounds.
        kept: Coins of the own colour among them.
        failures: Turns of all meta-rounds that a program of the seat did not answer.
        over: Whether the match has ended.
    """

    round: int
    score: tuple[float, float]
    last: tuple[float, float]
    own: tuple[int, int]
    others: tuple[int, int]
    failed: tuple[int, int]
    taken: tuple[int, int]
    kept: tuple[int, int]
    failures: tuple[int, int]
    over: bool


class View(NamedTuple):
    """What one seat may know: everything but the programs of the round.

    Attributes:
        seat: The seat that looks: 0 is player A with the red coin, 1 player B with the blue one.
        round: Meta-round, 1-based.
        rounds: Meta-rounds of the match.
        turns: Turns of the coin game in each.
        size: Rows and columns of the board.
        own_score: Points of this seat so far.
        other_score: Points of the other seat so far.
        own_last: Points of this seat in the last meta-round, or UNKNOWN.
        other_last: Points of the other seat in the last meta-round, or UNKNOWN.
        took_own: Coins of its own colour that this seat took in the last meta-round.
        took_other: Coins of the other's colour that it took.
        lost: Coins of this seat's colour that the other took.
        other_took_own: Coins of its own colour that the other took.
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
    size: int
    own_score: float
    other_score: float
    own_last: float
    other_last: float
    took_own: int
    took_other: int
    lost: int
    other_took_own: int
    own_failed: int
    other_failed: int
    seconds: float
    policies: tuple[int, ...]
    over: int


class Result(NamedTuple):
    """Public result of a meta-round for one seat, of numbers and words.

    Attributes:
        moves: What its program did, one letter a turn: U, D, L, R, or S for a turn in which it stayed.
        against: What the other program did.
        payoff: Points of the meta-round.
        own: Coins of its own colour that it took.
        others: Coins of the other's colour that it took.
        failed: Turns that its program did not answer.
        failure: Why, the first time; empty if it always answered.
        problem: The same in detail, with the line of the program where it is known.
    """

    moves: str
    against: str
    payoff: float
    own: int
    others: int
    failed: int
    failure: str
    problem: str


def initial(p: Params) -> State:
    """Nothing submitted."""
    none, nothing = (0, 0), (UNKNOWN, UNKNOWN)
    return State(1, (0.0, 0.0), nothing, none, none, none, none, none, none, False)


def base(p: Params) -> coin_game.Params:
    """The coin game of one meta-round."""
    return coin_game.Params(p.size, p.turns, True)


def walked(p: Params, moves: tuple[Move, ...]) -> coin_game.State:
    """The coin game after these moves: nature's one by one, those of both players in pairs, A's first."""
    inner, place = coin_game.initial(base(p)), 0
    while place < len(moves):
        if moves[place].kind == CHANCE:
            inner, place = coin_game.placed(base(p), inner, int(moves[place].values[0])), place + 1
        else:
            inner, place = coin_game.step(base(p), inner, moves[place : place + 2]), place + 2
    return inner


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """The position after a meta-round; see `walked` for its moves."""
    inner = walked(p, moves)
    failed = [0, 0]
    seat = 0
    for move in moves:
        if move.kind != CHANCE:
            failed[seat] += int(move.values[0] > 0.0)
            seat = 1 - seat
    last = coin_game.payoffs(base(p), inner)
    over = s.round == p.rounds
    return State(
        s.round if over else s.round + 1,
        (s.score[0] + last[0], s.score[1] + last[1]),
        last,
        inner.own,
        inner.others,
        (failed[0], failed[1]),
        (s.taken[0] + inner.own[0] + inner.others[0], s.taken[1] + inner.own[1] + inner.others[1]),
        (s.kept[0] + inner.own[0], s.kept[1] + inner.own[1]),
        (s.failures[0] + failed[0], s.failures[1] + failed[1]),
        over,
    )


def gains(p: Params, s: State) -> tuple[float, float]:
    """Points a turn, over all turns of the match."""
    turns = float(p.turns * p.rounds)
    return s.score[0] / turns, s.score[1] / turns


def observe(p: Params, s: State, seat: int) -> View:
    """Everything that is over; programs are public once both are submitted."""
    other = 1 - seat
    return View(
        seat,
        s.round,
        p.rounds,
        p.turns,
        p.size,
        s.score[seat],
        s.score[other],
        s.last[seat],
        s.last[other],
        s.own[seat],
        s.others[seat],
        s.others[other],
        s.own[other],
        s.failed[seat],
        s.failed[other],
        p.limits[0],
        p.policies,
        int(s.over),
    )


FEATURES = (
    "seat: 0 player A, 1 player B",
    "meta-round over the number of meta-rounds: 0 to 1",
    "2 over the side of the board: 0 to 1",
    "own points a turn of the last meta-round, halved: -1 to 1; -1 before the first",
    "other's points a turn of the last meta-round, halved: -1 to 1; -1 before the first",
    "coins of the own colour taken a turn of the last meta-round: 0 to 1",
    "coins of the other's colour taken a turn of the last meta-round: 0 to 1",
    "coins of the own colour that the other took a turn of the last meta-round: 0 to 1",
    "coins of its own colour that the other took a turn of the last meta-round: 0 to 1",
    "share of own turns without an answer in the last meta-round: 0 to 1",
    "share of the other's turns without an answer in the last meta-round: 0 to 1",
)


def features(v: View) -> tuple[float, ...]:
    """The view as the numbers that `FEATURES` describes."""
    points = [NO_FEATURE if x == UNKNOWN else max(-1.0, min(1.0, x / v.turns / 2)) for x in (v.own_last, v.other_last)]
    counts = v.took_own, v.took_other, v.lost, v.other_took_own, v.own_failed, v.other_failed
    return float(v.seat), v.round / v.rounds, 2.0 / v.size, *points, *[min(1.0, x / v.turns) for x in counts]
