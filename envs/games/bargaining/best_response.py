"""The best that a seat can do in a bargaining game against an opponent whose behaviour is known.

The opponent is any deterministic function of what it has seen. Its answer to every line of play is asked from
it, so nothing has to be known about how it is made. The search walks all lines of play in step, one move at a
time. A line ends with an agreement, worth ``delta ** (t - 1)`` times the dollars agreed, or with nothing; the
search ends when even all the money in the next round is worth less than the best agreement found.

What is exact. Asks are numbers on a continuum. In each round that we propose, the opponent is asked about every
ask on a grid, and the edge between the highest accepted one and the next is found by bisection, to the last bit
of ``money``. So the best agreement of a round is exact if acceptance is monotone (who accepts an ask accepts
every smaller one); otherwise an accepted ask between two rejected points of the grid may be missed. A rejected
ask only matters for what the opponent does later: with ``memory="round"`` not at all, with ``memory="history"``
the rejected asks of the grid and the smallest rejected one are tried, and a better one may lie between them.

The value found is always reached by the plan that comes with it, hence never too high. `BestResponse.upper_bound`
says what is not excluded, given monotone acceptance and the declared memory; if it equals the value, that is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

from econzoo.envs.core.game import Move
from econzoo.envs.core.parameters import real, whole
from econzoo.envs.core.values import short
from econzoo.envs.games.bargaining import valid
from econzoo.envs.games.bargaining.rules import (
    ACCEPT,
    OFFER,
    REJECT,
    Params,
    State,
    apply,
    initial,
    legal,
    limits,
    offered_to,
    payoff,
    to_act,
)

Played = tuple[int, int, Move]
"""Seat, round (1-based) and move."""
History = tuple[Played, ...]
"""All moves so far, in order."""
Opponent = Callable[[Params, State, int, History], Move]
"""Called as ``opponent(params, state, seat, history)`` with its own seat; always gives the same move for the same
arguments. It sees the whole state: a strategy for less information has to ignore what it may not know."""
Memory = Literal["round", "history"]


class BestResponse(NamedTuple):
    """The best reply found.

    Attributes:
        value: Dollars of round 1 that the plan reaches, in [0, money].
        upper_bound: Dollars of round 1 that no reply exceeds, given the assumptions above; at least ``value``.
        plan: The whole line of play, the opponent's moves included.
    """

    value: float
    upper_bound: float
    plan: History

    @property
    def exact(self) -> bool:
        """Whether no reply is better (to the last bit of ``money``); otherwise ``value`` is a lower bound."""
        return self.upper_bound <= self.value


def best_response(
    params: Params,
    seat: int,
    opponent: Opponent,
    *,
    memory: Memory = "history",
    grid: int = 101,
    width: int = 200,
) -> BestResponse:
    """The most a seat can earn against a known, deterministic opponent.

    Args:
        params: The market. The true horizon counts, also if the seats are not told.
        seat: The seat that replies, 0 or 1.
        opponent: How the other seat behaves.
        memory: ``"round"`` if the opponent looks only at the round and at the offer it has to answer: then one
            line of play is enough and the value is exact. ``"history"`` if its later behaviour may depend on
            asks it rejected: a search. ``"round"`` for an opponent that does remember gives a lower bound, and
            the upper bound is void.
        grid: Number of asks tried per round, evenly spaced from 0 to the money, >= 2.
        width: Lines of play kept at each of the opponent's offers, >= 1, under ``"history"``. If there are more,
            half of those kept are the ones where it offers most and half are spread over the rest.

    Returns:
        The value, its upper bound, and the line of play that reaches it.

    Raises:
        ValueError: An argument is out of range, or the opponent makes a move that is not legal.
    """
    _check(params, seat, opponent, memory, grid, width)
    asks = (*(params.money * step / (grid - 1) for step in range(grid - 1)), params.money)
    search = _Search(params, seat, opponent, memory, asks, width)
    search.run()
    return BestResponse(search.value, max(search.value, search.upper_bound), search.plan)


def regret(
    params: Params,
    seat: int,
    opponent: Opponent,
    payoff: float,
    *,
    memory: Memory = "history",
    grid: int = 101,
    width: int = 200,
) -> float:
    """What a seat left on the table: the value of its best response minus what it earned.

    Args:
        params: The market.
        seat: The seat that earned the payoff, 0 or 1.
        opponent: The opponent it earned it against.
        payoff: Dollars of round 1.
        memory: As in `best_response`, like ``grid`` and ``width``.
        grid: See there.
        width: See there.

    Returns:
        Dollars of round 1. Never negative where the best response is exact; where that is a lower bound, so is
        the regret, and a reply better than the one found shows as a negative one.

    Raises:
        ValueError: The payoff is not finite, or as in `best_response`.
    """
    earned = valid.checked("payoff", payoff, real, "a finite number")
    return best_response(params, seat, opponent, memory=memory, grid=grid, width=width).value - earned


class _Line(NamedTuple):
    """One line of play: where it led and how."""

    state: State
    history: History


@dataclass
class _Search:
    params: Params
    seat: int
    opponent: Opponent
    memory: Memory
    asks: tuple[float, ...]
    width: int
    value: float = -1.0
    upper_bound: float = 0.0
    plan: History = field(default=())

    def run(self) -> None:
        """Extends all lines by one move until none can lead to anything better. All are in the same round."""
        lines = [_Line(initial(self.params), ())]
        while lines and self.most(lines[0].state.round) > self.value:
            longer = [after for line in lines for after in self.extended(line)]
            lines = self.thinned([line for line in longer if not self.finished(line)])

    def most(self, round: int) -> float:
        """Dollars of round 1 that all the money is worth in that round; 0 after the last."""
        return self.params.delta[self.seat] ** (round - 1) * self.params.money if round <= self.params.horizon else 0.0

    def finished(self, line: _Line) -> bool:
        """Whether the game is over; then its payoff is remembered if it is the best."""
        if line.state.over and payoff(self.params, line.state, self.seat) > self.value:
            self.value, self.plan = payoff(self.params, line.state, self.seat), line.history
        return line.state.over

    def extended(self, line: _Line) -> list[_Line]:
        """The line with each move worth trying that comes next."""
        if to_act(self.params, line.state) != self.seat:
            return [self.opponents_turn(line)]
        if line.state.pending:
            return [self.played(line, Move(ACCEPT, 0.0)), self.played(line, Move(REJECT, 0.0))]
        return self.proposals(line)

    def proposals(self, line: _Line) -> list[_Line]:
        """After our ask and its answer: the best accepted ask, and the rejected ones that may matter later."""
        answered = [self.proposed(line, ask) for ask in self.asks]
        accepted = [after.state.agreed for after in answered]
        rejected = [after for after in answered if not after.state.agreed]
        if not any(accepted):
            return self.told_apart(rejected)
        last = max(index for index, agreed in enumerate(accepted) if agreed)
        if not all(accepted[:last]):  # not monotone: anything may be accepted between the points of the grid
            self.upper_bound = max(self.upper_bound, self.most(line.state.round))
        if last == len(self.asks) - 1:
            return [answered[last], *self.told_apart(rejected)]
        low, high = self.edge(line, self.asks[last], self.asks[last + 1])
        return [self.proposed(line, low), *self.told_apart([self.proposed(line, high), *rejected])]

    def edge(self, line: _Line, low: float, high: float) -> tuple[float, float]:
        """Closes in on an ask that is accepted next to one that is rejected."""
        while high - low > math.ulp(self.params.money):
            middle = low + (high - low) / 2.0
            if self.proposed(line, middle).state.agreed:
                low = middle
            else:
                high = middle
        return low, high

    def told_apart(self, rejected: list[_Line]) -> list[_Line]:
        """Of lines that differ in the ask just rejected, those the opponent may treat differently."""
        if self.memory == "round" or not rejected or rejected[0].state.over:
            return rejected[-1:]
        self.upper_bound = max(self.upper_bound, self.most(rejected[0].state.round))  # for asks off the grid
        return rejected

    def thinned(self, lines: list[_Line]) -> list[_Line]:
        """At most `width` lines, chosen when the opponent has just shown what it offers."""
        if len(lines) <= self.width or not lines[0].state.pending:
            return lines
        ranked = sorted(lines, key=lambda line: -offered_to(self.params, line.state, self.seat))
        best = (self.width + 1) // 2
        rest, places = ranked[best:], self.width - best
        return ranked[:best] + [rest[place * len(rest) // places] for place in range(places)]

    def proposed(self, line: _Line, ask: float) -> _Line:
        """The line after our ask and the opponent's answer."""
        return self.opponents_turn(self.played(line, Move(OFFER, ask)))

    def opponents_turn(self, line: _Line) -> _Line:
        """The line after the opponent's move, which must be legal."""
        other = 1 - self.seat
        move = self.opponent(self.params, line.state, other, line.history)
        lowest, highest = limits(self.params, line.state, other)
        allowed = legal(self.params, line.state, other)
        is_move = isinstance(move, tuple) and len(move) == 2
        if (
            not is_move
            or move[0] not in (OFFER, ACCEPT, REJECT)
            or not allowed[move[0]]
            or not lowest <= move[1] <= highest
        ):
            raise ValueError(f"opponent in seat {other}, round {line.state.round}: {short(move)} is not a legal move")
        return self.played(line, move)

    def played(self, line: _Line, move: Move) -> _Line:
        """The line after a move of the seat whose turn it is."""
        seat = to_act(self.params, line.state)
        return _Line(apply(self.params, line.state, (move,)), (*line.history, (seat, line.state.round, move)))


def _check(params: Params, seat: int, opponent: Opponent, memory: str, grid: int, width: int) -> None:
    valid.market(params)
    valid.seat_of(seat)
    if not callable(opponent):
        raise ValueError(f"opponent={short(opponent)}: must be a function of (params, state, seat, history)")
    if memory not in ("round", "history"):
        raise ValueError(f"memory={short(memory)}: must be 'round' or 'history'")
    valid.checked("grid", grid, partial(whole, low=2, high=math.inf), "a whole number, at least 2")
    valid.checked("width", width, partial(whole, low=1, high=math.inf), "a whole number, at least 1")
