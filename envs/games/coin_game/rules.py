"""The Coin Game in its form with two coins at a time (Lerer and Peysakhovich 2017; Foerster et al. 2018, LOLA).

Players A (red) and B (blue) walk on a board of N x N cells without edges, with a red and a blue coin. In every round
both take one step simultaneously. Players do not block each other: they may share a cell or swap places. A player on a
coin takes it and gets 1 point, whatever its colour; taking a coin of the other's colour costs the other 2 points. Two
players on a coin both take it, each as if alone. A coin that was taken respawns at once, uniformly over all cells,
including its old one and occupied ones; on a player's cell it is taken only if the player is there after the next step.
Initial cells of players and coins are drawn uniformly too.

These are the rules of the open-source Coin Game of Sistla and Kleiman-Weiner (2025, arXiv:2512.00371).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, MAX_ROUNDS, NO_FEATURE, SEVERAL, UNKNOWN, Fact, Flag, Integer, Move

UP, DOWN, LEFT, RIGHT, STAY = 0, 1, 2, 3, 4
"""Kinds of move; STAY is never legal, but `apply_steps` accepts it for a seat without a move."""

ROW_STEPS = (-1, 1, 0, 0, 0)
COLUMN_STEPS = (0, 0, -1, 1, 0)

NO_CELL = -1
"""Cell of a player or coin that nature has not placed yet."""

THEFT_COST = 2
"""Points that the owner of a coin loses if the other takes it."""

MAX_SIZE = 20


class Params(NamedTuple):
    """Parameters of a match."""

    size: Annotated[int, Integer(2, MAX_SIZE), "Number of rows and columns of the board."] = 3
    rounds: Annotated[int, Integer(1, MAX_ROUNDS), "Number of rounds; both players take one step in each."] = 10
    known: Annotated[bool, Flag(), "Whether the players know the number of rounds."] = True


class State(NamedTuple):
    """A position. Cells are numbered row by row: row * size + column, from 0 at the top left.

    Attributes:
        round: 1-based; stays at the last round when the match is over.
        player: Cells of A and B; NO_CELL until nature has placed them.
        coin: Cells of the red coin (A's) and the blue one (B's); NO_CELL until nature has placed them.
        took: Coins that A and B took in the previous round: 0 none, 1 the red one, 2 the blue one, 3 both.
        own: Coins of the own colour that A and B have taken.
        others: Coins of the other's colour that A and B have taken.
        thefts: Rounds in which A and B took the other's coin and not their own (coins on the same cell can only be
            taken together).
        over: Whether the match has ended.
    """

    round: int
    player: tuple[int, int]
    coin: tuple[int, int]
    took: tuple[int, int]
    own: tuple[int, int]
    others: tuple[int, int]
    thefts: tuple[int, int]
    over: bool


class View(NamedTuple):
    """Observation of one seat: everything, except possibly the number of rounds. Rows and columns count from 0.

    Attributes:
        seat: The observing seat: 0 is player A with the red coin, 1 player B with the blue one.
        round: Round, 1-based.
        rounds: Number of rounds, or UNKNOWN.
        own_row: Row of this seat.
        own_column: Column of this seat.
        other_row: Row of the other seat.
        other_column: Column of the other seat.
        own_coin_row: Row of the coin of this seat's colour.
        own_coin_column: Its column.
        other_coin_row: Row of the coin of the other's colour.
        other_coin_column: Its column.
        took_own: 1 if this seat took its own coin in the previous round, else 0.
        took_other: 1 if it took the other's coin then, else 0.
        lost: 1 if the other seat took the coin of this seat then, else 0.
        other_took_own: 1 if the other seat took its own coin then, else 0.
        own_score: Points of this seat.
        other_score: Points of the other seat.
        times_own: Times that this seat has taken its own coin.
        times_other: Times that it has taken the other's coin.
        times_lost: Times that the other seat has taken the coin of this seat.
        times_other_own: Times that the other seat has taken its own coin.
        own_thefts: Rounds in which this seat took the other's coin and not its own.
        other_thefts: Rounds in which the other seat took the coin of this seat and not its own.
        over: 1 if the match has ended, else 0.
    """

    seat: int
    round: int
    rounds: float
    size: int
    own_row: float
    own_column: float
    other_row: float
    other_column: float
    own_coin_row: float
    own_coin_column: float
    other_coin_row: float
    other_coin_column: float
    took_own: int
    took_other: int
    lost: int
    other_took_own: int
    own_score: int
    other_score: int
    times_own: int
    times_other: int
    times_lost: int
    times_other_own: int
    own_thefts: int
    other_thefts: int
    over: int


class Result(NamedTuple):
    """Public result of a round for one seat.

    Attributes:
        red: 1 if it took the red coin, else 0.
        blue: 1 if it took the blue coin, else 0.
        points: Its points of the round, including losses to the other: from -2 to 2.
    """

    row: int
    column: int
    red: int
    blue: int
    points: int


def initial(p: Params) -> State:
    """Empty board, before nature's placements."""
    nothing = (0, 0)
    return State(1, (NO_CELL, NO_CELL), (NO_CELL, NO_CELL), nothing, nothing, nothing, nothing, False)


def to_act(p: Params, s: State) -> int:
    """Nature until all players and coins are placed, then both players simultaneously."""
    if s.coin[0] == NO_CELL or s.coin[1] == NO_CELL:  # the coins come last
        return CHANCE
    return DONE if s.over else SEVERAL


def chance(p: Params, s: State) -> tuple[tuple[float, float], ...]:
    """Nature's uniform draw of a cell: for A, B, the red coin or the blue coin, whichever is missing first."""
    return uniform_cells(p.size * p.size)


@lru_cache(maxsize=64)
def uniform_cells(cells: int) -> tuple[tuple[float, float], ...]:
    # Cached, so that the tuple is the same object in every round: nature keeps its cumulative probabilities as long as
    # it is.
    """Uniform distribution over cells."""
    return tuple([(float(cell), 1.0 / cells) for cell in range(cells)])


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool, bool]:
    """All four steps are legal until the end; staying is not."""
    now = not s.over and s.coin[0] != NO_CELL and s.coin[1] != NO_CELL
    return now, now, now, now


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after nature's placement or a step of both players."""
    if moves[0].kind == CHANCE:
        return place_next(p, s, int(moves[0].values[0]))
    return apply_steps(p, s, moves)


def place_next(p: Params, s: State, cell: int) -> State:
    """Place the first missing player or coin on a cell."""
    player, coin = s.player, s.coin
    if player[0] == NO_CELL:
        player = (cell, player[1])
    elif player[1] == NO_CELL:
        player = (player[0], cell)
    elif coin[0] == NO_CELL:
        coin = (cell, coin[1])
    else:
        coin = (coin[0], cell)
    return State(s.round, player, coin, s.took, s.own, s.others, s.thefts, s.over)


def move_cell(p: Params, cell: int, kind: int) -> int:
    """Cell after a step on the board without edges."""
    row, column = cell // p.size + ROW_STEPS[kind], cell % p.size + COLUMN_STEPS[kind]
    return (row % p.size) * p.size + column % p.size


def apply_steps(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Move A and B and collect coins; STAY is accepted too.

    Coins that were taken are at NO_CELL until nature places them, the red one first.
    """
    # moves[-1] and not moves[1]: the function is compiled for nature's single move too, where index 1 does not exist.
    a, b = move_cell(p, s.player[0], moves[0].kind), move_cell(p, s.player[1], moves[-1].kind)
    red, blue = s.coin
    a_red, a_blue, b_red, b_blue = int(a == red), int(a == blue), int(b == red), int(b == blue)
    left = (NO_CELL if a_red or b_red else red, NO_CELL if a_blue or b_blue else blue)
    took = (a_red + 2 * a_blue, b_red + 2 * b_blue)
    own = (s.own[0] + a_red, s.own[1] + b_blue)
    others = (s.others[0] + a_blue, s.others[1] + b_red)
    thefts = (s.thefts[0] + a_blue * (1 - a_red), s.thefts[1] + b_red * (1 - b_blue))
    over = s.round >= p.rounds
    return State(s.round if over else s.round + 1, (a, b), left, took, own, others, thefts, over)


def score(s: State, seat: int) -> int:
    """Points of a seat: 1 per coin that it took, minus 2 per own coin that the other took."""
    return s.own[seat] + s.others[seat] - THEFT_COST * s.others[1 - seat]


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Points of both seats."""
    return float(score(s, 0)), float(score(s, 1))


def gains(p: Params, s: State) -> tuple[float, float]:
    """Points per round of the match, including unplayed rounds."""
    return score(s, 0) / float(p.rounds), score(s, 1) / float(p.rounds)


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """Public results of a round: cells, coins taken and points of both seats."""
    return tuple([Fact(seat, result(p, before, s, seat)) for seat in (0, 1)])


def result(p: Params, before: State, s: State, seat: int) -> Result:
    """Public result of a round for one seat."""
    cell, took = s.player[seat], s.took[seat]
    return Result(cell // p.size, cell % p.size, took % 2, took // 2, score(s, seat) - score(before, seat))


def row_of(p: Params, cell: int) -> float:
    """Row of a cell; UNKNOWN for NO_CELL."""
    return UNKNOWN if cell == NO_CELL else cell // p.size


def column_of(p: Params, cell: int) -> float:
    """Column of a cell; UNKNOWN for NO_CELL."""
    return UNKNOWN if cell == NO_CELL else cell % p.size


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything, but the number of rounds only if known."""
    other = 1 - seat
    # Bits of the seat's own coin and of the other's in `State.took`.
    mine, theirs = (1, 2) if seat == 0 else (2, 1)
    return View(
        seat,
        s.round,
        p.rounds if p.known else UNKNOWN,
        p.size,
        row_of(p, s.player[seat]),
        column_of(p, s.player[seat]),
        row_of(p, s.player[other]),
        column_of(p, s.player[other]),
        row_of(p, s.coin[seat]),
        column_of(p, s.coin[seat]),
        row_of(p, s.coin[other]),
        column_of(p, s.coin[other]),
        s.took[seat] // mine % 2,
        s.took[seat] // theirs % 2,
        s.took[other] // mine % 2,
        s.took[other] // theirs % 2,
        score(s, seat),
        score(s, other),
        s.own[seat],
        s.others[seat],
        s.others[other],
        s.own[other],
        s.thefts[seat],
        s.thefts[other],
        int(s.over),
    )


FEATURES = (
    "seat: 0 player A, 1 player B",
    "round over the number of rounds: 0 to 1, or -1 if it is hidden",
    "2 over the side of the board: 0 to 1",
    *[
        f"{way} to {what}, the shorter way round, over the most there can be: -1 to 1"
        for what in ("the other player", "the own coin", "the other's coin")
        for way in ("rows down", "columns right")
    ],
    "own score s as s / (|s| + 10): -1 to 1",
    "other's score s as s / (|s| + 10): -1 to 1",
    "whether this seat took its own coin in the round before: 0 or 1",
    "whether this seat took the other's coin in the round before: 0 or 1",
    "whether the other took this seat's coin in the round before: 0 or 1",
    "whether the other took its own coin in the round before: 0 or 1",
)


def shift(size: int, start: float, end: float) -> float:
    """Signed shortest distance between two rows or columns as a fraction of the largest, in [-1, 1]."""
    if min(start, end) == UNKNOWN:  # UNKNOWN is less than any row or column
        return NO_FEATURE
    steps, most = (end - start) % size, size // 2
    return (steps if steps <= most else steps - size) / most


def squash_score(points: int) -> float:
    """Map a score to (-1, 1)."""
    return points / (abs(points) + 10.0)


def features(v: View) -> tuple[float, ...]:
    """Features of a view, as described by `FEATURES`: on a board without edges only relative cells matter."""
    return (
        float(v.seat),
        NO_FEATURE if v.rounds == UNKNOWN else v.round / v.rounds,
        2.0 / v.size,
        shift(v.size, v.own_row, v.other_row),
        shift(v.size, v.own_column, v.other_column),
        shift(v.size, v.own_row, v.own_coin_row),
        shift(v.size, v.own_column, v.own_coin_column),
        shift(v.size, v.own_row, v.other_coin_row),
        shift(v.size, v.own_column, v.other_coin_column),
        squash_score(v.own_score),
        squash_score(v.other_score),
        float(v.took_own),
        float(v.took_other),
        float(v.lost),
        float(v.other_took_own),
    )
