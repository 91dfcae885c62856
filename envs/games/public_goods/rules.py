"""Public goods game with costly punishment (Fehr and Gächter 2000).

All contribute simultaneously; with punishment, all then assign points simultaneously, paid out of the income from
contributions. Punishment never takes more than this income, so income of a round is negative only for seats that both
assign and receive points.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, MAX_ROUNDS, NO_FEATURE, SEVERAL, Bounds, Integer, Move, Real
from econzoo.envs.families import seat_at, seat_feature_names

CONTRIBUTE, ASSIGN = 0, 1
NO_POINTS, CONVEX, LINEAR = 0, 1, 2
REFUSALS = ("the points cost more than your income of this round",)
COSTS = (0.0, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0, 16.0, 20.0, 25.0, 30.0)
"""Tokens that 0 to 10 points to one player cost (Fehr and Gächter 2000)."""
MOST_POINTS = len(COSTS) - 1
ROUNDING_SLACK = 1e-9  # what binary fractions lack: 0.29 * 100 is a little less than 29


class Params(NamedTuple):
    """Parameters of a match.

    Attributes:
        cost: NO_POINTS; CONVEX: points cost `COSTS` and take a tenth of an income each; LINEAR: they cost 1 and take 3.
    """

    players: Annotated[int, Integer(2, 20), "Seats."] = 4
    endowment: Annotated[int, Integer(1, 1_000_000), "Tokens per player and round."] = 20
    mpcr: Annotated[
        float, Real(0.0, 100.0), "Marginal per capita return: tokens of each player per contributed token."
    ] = 0.4
    rounds: Annotated[int, Integer(1, MAX_ROUNDS), "Number of rounds."] = 10
    cost: int = CONVEX


class State(NamedTuple):
    """A position. Tuples have one number of tokens per seat.

    Attributes:
        round: 1-based; stays at the last round when the game is over.
        assigning: Whether points are assigned now, else tokens are contributed.
        gave: Last contribution of each seat.
        income: Income of each seat in the current round, as far as it is determined, or in the last round.
        total: Income of each seat in all completed rounds.
        counts: Totals over seats and rounds: tokens contributed; points assigned; points assigned to seats that had
            contributed at least as much as the assigner (antisocial punishment).
        over: Whether the game has ended.
    """

    round: int
    assigning: bool
    gave: tuple[float, ...]
    income: tuple[float, ...]
    total: tuple[float, ...]
    counts: tuple[float, float, float]
    over: bool


class View(NamedTuple):
    """Observation of one seat: everything but the current choices. Tuples have one number of tokens per seat.

    Attributes:
        seat: The observing seat.
        round: 1-based.
        cost: NO_POINTS, CONVEX or LINEAR.
        assigning: 1 if points are assigned now, else 0.
        gave: Last contribution of each seat.
        income: Income of each seat in the current round, as far as it is determined, or in the last round.
        total: Income of each seat in all completed rounds.
        over: 1 if the game has ended, else 0.
    """

    seat: int
    round: int
    rounds: int
    endowment: int
    mpcr: float
    cost: int
    assigning: int
    gave: tuple[float, ...]
    income: tuple[float, ...]
    total: tuple[float, ...]
    over: int


def initial(p: Params) -> State:
    """Start of the match."""
    zeros = tuple([0.0] * p.players)
    return State(1, False, zeros, zeros, zeros, (0.0, 0.0, 0.0), False)


def to_act(p: Params, s: State) -> int:
    """All move simultaneously, in both stages of a round."""
    return DONE if s.over else SEVERAL


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool]:
    """Whether contributing and assigning points are legal."""
    return not s.over and not s.assigning, not s.over and s.assigning


def price(cost: int, points: float) -> float:
    """Tokens that points to one player cost."""
    return points if cost == LINEAR else COSTS[int(points)]


def harm(cost: int, income: float, points: float) -> float:
    """Tokens that points take from an income: three each (Fehr and Gächter 2002), or a tenth of it each (2000)."""
    return min(income, 3.0 * points) if cost == LINEAR else income * min(1.0, points / 10.0)


def limits(p: Params, s: State, seat: int, others: int) -> tuple[Bounds, ...]:
    """Ranges of a contribution, and of points if the same number goes to each of `others` seats."""
    most = 0.0
    while s.assigning and most < MOST_POINTS and others * price(p.cost, most + 1.0) <= s.income[seat] + ROUNDING_SLACK:
        most += 1.0
    return tuple([(0.0, float(p.endowment) if i == 0 else most) for i in range(p.players)])


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, ...]:
    """Ranges of the contribution, and of the points for each other seat."""
    return limits(p, s, seat, 1)


def span(p: Params, s: State, seat: int) -> tuple[Bounds, ...]:
    """Ranges in which every combination of points is affordable."""
    return limits(p, s, seat, p.players - 1)


def points_cost(p: Params, move: Move) -> float:
    """Tokens that all points of a move cost."""
    paid = 0.0
    for place in range(p.players - 1):
        paid += price(p.cost, move.values[place])
    return paid


def refuses(p: Params, s: State, seat: int, move: Move) -> int:
    """Whether points cost more than the income from contributions."""
    return int(move.kind == ASSIGN and points_cost(p, move) > s.income[seat] + ROUNDING_SLACK)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after one stage of a round; the last one ends it."""
    half = apply_points(p, s, moves) if s.assigning else apply_contributions(p, s, moves)
    return close_round(p, half) if s.assigning or p.cost == NO_POINTS else half


def apply_contributions(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Apply contributions: each seat keeps the rest and gets its return from the pot."""
    pot, gave = 0.0, [moves[seat].values[0] for seat in range(p.players)]
    for own in gave:
        pot += own
    income = [p.endowment - own + p.mpcr * pot for own in gave]
    counts = s.counts[0] + pot, s.counts[1], s.counts[2]
    return State(s.round, True, tuple(gave), tuple(income), s.total, counts, False)


def apply_points(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Apply points: they cost the assigning seat and lower the income of the receiving one."""
    income, (given, points, antisocial) = [0.0] * p.players, s.counts
    for seat in range(p.players):
        got = 0.0
        for other in range(p.players):
            if other != seat:
                # Points are listed for the others only: seats after the assigner move up by one.
                own = moves[other].values[seat - int(seat > other)]
                got += own
                antisocial += own if s.gave[seat] >= s.gave[other] else 0.0
        points += got
        income[seat] = s.income[seat] - harm(p.cost, s.income[seat], got) - points_cost(p, moves[seat])
    return State(s.round, True, s.gave, tuple(income), s.total, (given, points, antisocial), False)


def close_round(p: Params, s: State) -> State:
    """Close a round and add its income to the total."""
    over, total = s.round == p.rounds, tuple([s.total[seat] + s.income[seat] for seat in range(p.players)])
    now = s.round if over else s.round + 1
    return State(now, False, s.gave, s.income, total, s.counts, over)


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Total income of completed rounds in tokens."""
    return s.total


def best_payoff(p: Params) -> float:
    """Income of a seat at the group optimum: all contribute everything, or nothing."""
    return p.rounds * p.endowment * max(1.0, p.mpcr * p.players)


def gains(p: Params, s: State) -> tuple[float, ...]:
    """Income as a fraction of that at the group optimum."""
    return tuple([total / best_payoff(p) for total in s.total])


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything but the current choices."""
    return View(
        seat, s.round, p.rounds, p.endowment, p.mpcr, p.cost, int(s.assigning), s.gave, s.income, s.total, int(s.over)
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """Names of `features`."""
    match = "round over the number of rounds: 0 to 1", "last round: 0 or 1", "assigning points: 0 or 1"
    terms = (
        "cost of points: 0 for none, 0.5 for convex, 1 for linear",
        "marginal per-capita return m as m / (1 + m): 0 to 1",
    )
    gave = "last contribution over the endowment: 0 to 1, or -1 before the first"
    each = gave, "last income over the most: -1 to 1", "income of all rounds over the most: -1 to 1"
    return *match, *terms, *seat_feature_names(p.players, each)


def features(v: View) -> tuple[float, ...]:
    """The match, then the own seat, then the others in the order of seats; see `feature_names`."""
    out = [v.round / v.rounds, float(int(v.round == v.rounds)), float(v.assigning)]
    out += [v.cost / 2.0, v.mpcr / (1.0 + v.mpcr)]
    known, most = v.round > 1 or v.assigning or v.over, v.endowment * (1.0 + v.mpcr * len(v.gave))
    for place in range(len(v.gave)):
        i = seat_at(place, v.seat)
        out += [v.gave[i] / v.endowment if known else NO_FEATURE, v.income[i] / most, v.total[i] / (most * v.rounds)]
    return tuple(out)
