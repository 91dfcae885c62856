"""A contract for hidden effort: a wage and a bonus are offered, and success, not effort, is seen."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from econzoo.envs.core.contract import CHANCE, DONE, HIDDEN, NO_FEATURE, OPEN, UNKNOWN, Bounds, Move, Real

OFFER, ACCEPT, DECLINE, WORK = 0, 1, 2, 3
PRINCIPAL, AGENT = 0, 1
FAILURE, SUCCESS = 0.0, 1.0


class Params(NamedTuple):
    """One setting."""

    value: Annotated[float, Real(0.01, 1e6), "Dollars that success brings to the principal."] = 100.0
    cost: Annotated[float, Real(1.0, 100.0), "Cost of full effort, as a multiple of the value of success."] = 1.0


class State(NamedTuple):
    """A position; what has not been chosen or drawn is UNKNOWN."""

    round: int
    wage: float
    bonus: float
    accepted: float
    effort: float
    success: float


class View(NamedTuple):
    """What one seat may know."""

    seat: int
    round: int
    value: float
    cost: float
    wage: float
    bonus: float
    accepted: float
    own_effort: float
    success: float
    over: int


def initial(p: Params) -> State:
    """No contract."""
    return State(1, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)


def to_act(p: Params, s: State) -> int:
    """An offer, an answer, effort, and luck."""
    if s.accepted == 0.0 or s.success != UNKNOWN:
        return DONE
    if s.wage == UNKNOWN:
        return PRINCIPAL
    return AGENT if s.effort == UNKNOWN else CHANCE


def legal(p: Params, s: State, seat: int) -> tuple[bool, bool, bool, bool]:
    """An offer, an answer, or effort."""
    turn = seat == to_act(p, s)
    answers = turn and seat == AGENT and s.accepted == UNKNOWN
    return turn and seat == PRINCIPAL, answers, answers, turn and s.accepted > 0.0


def bounds(p: Params, s: State, seat: int) -> tuple[Bounds, Bounds, Bounds]:
    """Of the wage and the bonus in dollars, and of effort as the probability of success."""
    return (0.0, p.value), (0.0, p.value), (0.0, 1.0)


def apply(p: Params, s: State, moves: tuple[Move, ...]) -> State:
    """The position after a move or a draw."""
    kind, values = moves[0]
    if kind == CHANCE:
        return State(1, s.wage, s.bonus, s.accepted, s.effort, values[0])
    if kind == OFFER:
        return State(1, values[0], values[1], UNKNOWN, UNKNOWN, UNKNOWN)
    if kind == WORK:
        return State(1, s.wage, s.bonus, 1.0, values[0], UNKNOWN)
    return State(1, s.wage, s.bonus, 1.0 if kind == ACCEPT else 0.0, UNKNOWN, UNKNOWN)


def chance(p: Params, s: State) -> tuple[tuple[float, float], tuple[float, float]]:
    """Effort is the probability of success."""
    return (FAILURE, 1.0 - s.effort), (SUCCESS, s.effort)


def sees(p: Params, before: State, move: Move, s: State, mover: int, seat: int) -> int:
    """Nobody sees effort."""
    return HIDDEN if move.kind == WORK else OPEN


def payoffs(p: Params, s: State) -> tuple[float, float]:
    """Dollars: the value of success less the pay, and the pay less the cost of effort."""
    if s.success == UNKNOWN:
        return 0.0, 0.0
    pay = s.wage + s.bonus * s.success
    return p.value * s.success - pay, pay - p.cost * p.value * s.effort * s.effort / 2.0


def observe(p: Params, s: State, seat: int) -> View:
    """Everything but the effort of the other."""
    return View(
        seat,
        s.round,
        p.value,
        p.cost,
        s.wage,
        s.bonus,
        s.accepted,
        s.effort if seat == AGENT else UNKNOWN,
        s.success,
        int(to_act(p, s) == DONE),
    )


FEATURES = (
    "seat: 0 or 1",
    "wage over the value: 0 to 1, or -1 before the offer",
    "bonus over the value: 0 to 1, or -1 before the offer",
    "accepted: 0 or 1, or -1 before the answer",
    "own effort: 0 to 1, or -1 if there is none",
    "success: 0 or 1, or -1 before it is drawn",
    "1 / cost: 0.01 to 1",
)


def features(v: View) -> tuple[float, ...]:
    """The view as the numbers that `FEATURES` describes."""
    contract = share(v.wage, v.value), share(v.bonus, v.value), share(v.accepted, 1.0)
    return (float(v.seat), *contract, share(v.own_effort, 1.0), share(v.success, 1.0), 1.0 / v.cost)


def share(part: float, whole: float) -> float:
    """A part of a whole, or NO_FEATURE where it is UNKNOWN."""
    return part / whole if part >= 0.0 else NO_FEATURE
