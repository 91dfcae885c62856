"""Guess a fraction of the average, round after round (Nagel 1995; game G08A of Zhang et al. 2024, arXiv:2402.01521).

All choose an integer simultaneously. The target is a fraction of the mean of all numbers, rounded to two digits (half
up). The nearest number wins, the lower one at equal distance, and all who chose it win. All others lose a health point,
and are eliminated with none left. If two or more players all chose the same number, nobody wins.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import DONE, MAX_ROUNDS, NO_FEATURE, SEVERAL, UNKNOWN, Bounds, Fact, Integer, Move, Real
from econzoo.envs.families import amounts_of, facts_of, seat_at, seat_feature_names

FACTOR, NUMBER = Real(0.01, 0.99), Integer(1, 1_000_000)


class Params(NamedTuple):
    """Parameters of a match."""

    players: Annotated[int, Integer(2, 100), "Seats."] = 5
    factor: Annotated[float, FACTOR, "Factor by which the mean of all numbers is multiplied to give the target."] = 0.8
    low: Annotated[int, NUMBER, "Smallest legal number."] = 1
    high: Annotated[int, NUMBER, "Largest legal number."] = 100
    rounds: Annotated[int, Integer(1, MAX_ROUNDS), "Number of rounds."] = 10
    health: Annotated[int, Integer(1, MAX_ROUNDS), "Initial health points; each round that is not won costs one."] = 10


class State(NamedTuple):
    """A position.

    Attributes:
        round: 1-based; stays at the last round when the game is over.
        mean: Mean of the numbers of the previous round; UNKNOWN in the first.
        target: Target of the previous round; UNKNOWN in the first.
        number: Number of each seat in the previous round; 0 if eliminated, or in the first round.
        won: 1 for each seat that won the previous round, else 0.
        wins: Rounds won by each seat.
        health: Health points of each seat.
        out: Round in which each seat was eliminated; 0 for active seats.
        over: Whether the game has ended.
    """

    round: int
    mean: float
    target: float
    number: tuple[float, ...]
    won: tuple[int, ...]
    wins: tuple[int, ...]
    health: tuple[int, ...]
    out: tuple[int, ...]
    over: bool


class View(NamedTuple):
    """Observation of one seat: everything but the numbers of the round. Tuples have one entry per seat.

    Attributes:
        seat: The observing seat.
        round: Round, 1-based.
        mean: Mean of the numbers of the previous round, or UNKNOWN.
        target: Target of the previous round, or UNKNOWN.
        numbers: Numbers of the previous round; 0 for eliminated seats, or in the first round.
        won: 1 for winners of the previous round, else 0.
        wins: Rounds won.
        healths: Health points.
        out: Round in which a seat was eliminated; 0 for active seats.
        over: 1 if the game has ended for this seat, else 0.
    """

    seat: int
    round: int
    rounds: int
    factor: float
    low: int
    high: int
    mean: float
    target: float
    numbers: tuple[float, ...]
    won: tuple[int, ...]
    wins: tuple[int, ...]
    healths: tuple[int, ...]
    out: tuple[int, ...]
    over: int


class Result(NamedTuple):
    """Public result of a round for one seat.

    Attributes:
        target: Target, a fraction of the mean.
        won: 1 if the seat won, else 0.
    """

    mean: float
    target: float
    won: int
    health: int


class Status(NamedTuple):
    """Condition of a seat."""

    health: int
    wins: int
    alive: bool


def initial(p: Params) -> State:
    """Start of the match, all seats active."""
    zeros, nothing = tuple([0.0] * p.players), tuple([0] * p.players)
    return State(1, UNKNOWN, UNKNOWN, zeros, nothing, nothing, tuple([p.health] * p.players), nothing, False)


def to_act(p: Params, s: State) -> int:
    """All choose simultaneously."""
    return DONE if s.over else SEVERAL


def alive(p: Params, s: State, seat: int) -> bool:
    """Whether the seat is active."""
    return s.out[seat] == 0


def legal(p: Params, s: State, seat: int) -> tuple[bool]:
    """A number is legal for active seats."""
    return (s.out[seat] == 0 and not s.over,)


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds]:
    """Range of legal numbers."""
    return ((float(p.low), float(p.high)),)


def target_hundredths(p: Params, mean: float) -> int:
    """The target in hundredths, rounded half up to an integer."""
    return math.floor(p.factor * mean * 100.0 + 0.500001)  # 0.35 * 1.5 is below its half in binary


def winning_number(p: Params, s: State, numbers: list[float], target: int) -> float:
    """The winning number; UNKNOWN if nobody wins.

    Args:
        numbers: One per seat; those of eliminated seats are ignored.
        target: Target in hundredths.
    """
    best, inside, same = UNKNOWN, 0, True
    for seat in range(p.players):
        if s.out[seat] == 0:
            number = numbers[seat]
            same = same and (inside == 0 or number == best)
            inside += 1
            if best == UNKNOWN or is_nearer(number, best, target):
                best = number
    # A last active player has no rival to be equal to, and wins.
    return UNKNOWN if same and inside > 1 else best


def is_nearer(number: float, best: float, target: int) -> bool:
    """Whether a number is nearer to the target (in hundredths) than the best so far, or equally near and lower."""
    gap, least = abs(100.0 * number - target), abs(100.0 * best - target)
    return gap < least or (gap == least and number < best)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """Return the position after one number of each seat."""
    numbers = amounts_of(moves, s.out)
    mean = mean_of(numbers)
    target = target_hundredths(p, mean)
    best = winning_number(p, s, numbers, target)
    won = [1 if s.out[i] == 0 and numbers[i] == best else 0 for i in range(p.players)]
    return score_round(p, s, mean, target / 100.0, numbers, won)


def mean_of(numbers: list[float]) -> float:
    """Mean of the numbers that are not UNKNOWN."""
    total, count = 0.0, 0
    for number in numbers:
        if number != UNKNOWN:
            total += number
            count += 1
    return total / count


def score_round(p: Params, s: State, mean: float, target: float, numbers: list[float], won: list[int]) -> State:
    """Return the position after a round: winners score, the others lose health and may be eliminated."""
    seats = range(p.players)
    health = [s.health[i] - 1 if s.out[i] == 0 and won[i] == 0 else s.health[i] for i in seats]
    out = [s.round if s.out[i] == 0 and health[i] <= 0 else s.out[i] for i in seats]
    chosen = [numbers[i] if s.out[i] == 0 else 0.0 for i in seats]
    wins = [s.wins[i] + won[i] for i in seats]
    over = s.round == p.rounds or min(out) > 0
    now = s.round if over else s.round + 1
    return State(now, mean, target, tuple(chosen), tuple(won), tuple(wins), tuple(health), tuple(out), over)


def payoffs(p: Params, s: State) -> tuple[float, ...]:
    """Rounds won."""
    return tuple([float(wins) for wins in s.wins])


def gains(p: Params, s: State) -> tuple[float, ...]:
    """Rounds won as fractions of all rounds."""
    return tuple([float(wins) / p.rounds for wins in s.wins])


def results(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Result, ...]:
    """Public results of a round, one per seat."""
    return tuple([Result(s.mean, s.target, s.won[i], s.health[i]) for i in range(p.players)])


def facts(p: Params, before: State, moves: tuple[Move, ...], s: State) -> tuple[Fact, ...]:
    """The `results` of the active seats."""
    return facts_of(before.out, results(p, before, moves, s))


def status(p: Params, s: State, seat: int) -> Status:
    """Current condition of a seat."""
    return Status(s.health[seat], s.wins[seat], s.out[seat] == 0)


def observe(p: Params, s: State, seat: int) -> View:
    """View of a seat: everything but the numbers of the current round."""
    return View(
        seat,
        s.round,
        p.rounds,
        p.factor,
        p.low,
        p.high,
        s.mean,
        s.target,
        s.number,
        s.won,
        s.wins,
        s.health,
        s.out,
        int(s.over or s.out[seat] > 0),
    )


def feature_names(p: Params) -> tuple[str, ...]:
    """Names of `features`."""
    match = (
        "round over the number of rounds: 0 to 1",
        "factor by which the average is multiplied: 0 to 1",
        "least allowed number over the greatest: 0 to 1",
        "average of the round before over the greatest number: 0 to 1, or -1 in the first",
        "target of the round before over the greatest number: 0 to 1, or -1 in the first",
    )
    each = (
        "number of the round before over the greatest: 0 to 1",
        "rounds won over the number of rounds: 0 to 1",
        "health h as h / (h + 5): 0 to 1, or -1 if out",
    )
    return *match, *seat_feature_names(p.players, each)


def features(v: View) -> tuple[float, ...]:
    """Features of the match, then of the own seat, then of the others in the order of seats; see `feature_names`."""
    highest = float(v.high)
    out = [v.round / v.rounds, v.factor, v.low / highest]
    out += [NO_FEATURE, NO_FEATURE] if v.mean == UNKNOWN else [v.mean / highest, v.target / highest]
    for place in range(len(v.out)):
        i = seat_at(place, v.seat)
        out.append(v.numbers[i] / highest)
        out.append(v.wins[i] / v.rounds)
        out.append(v.healths[i] / (v.healths[i] + 5.0) if v.out[i] == 0 else NO_FEATURE)
    return tuple(out)
