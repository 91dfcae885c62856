"""Best response to a known deterministic opponent in alternating-offers games over one amount.

The opponent is any deterministic function of what it observes and is queried as a black box. The search extends all
lines of play in step, one move at a time, and stops when no agreement that is still possible pays more than the best
one found.

Exactness. Amounts are continuous. In each of our proposing rounds the opponent is queried on a grid of amounts, and
bisection finds the threshold above the boldest amount that it accepts. So the best agreement of a round is exact if the
opponent is monotone: if it accepts an amount it accepts every milder one, and if it ends the game over an amount it
does so over every bolder one. Otherwise an acceptable amount between two rejected ones of the grid may be missed; an
opponent that may not be monotone declares ``monotone = False``, and then only the boldest amount of all is sure to be
the best of a round. A rejected amount matters only for the opponent's later behaviour: not at all with
``memory="round"``; with ``memory="history"`` the rejected ones of the grid and the mildest rejected one are tried, and
a better one may lie between them.

The returned plan always reaches the returned value, so the value is never too high. `BestResponse.upper_bound` holds
for a monotone opponent with the declared memory; where it equals the value, the value is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from econzoo.envs.core.contract import Integer, Move, Real, check_argument, short_repr
from econzoo.envs.families import seat_of
from econzoo.envs.families.offers.protocol import History, Memory

Opponent = Callable[[Any, Any, int, History], Move]
"""Called as ``opponent(params, state, seat, history)`` with its own seat; a deterministic function of its arguments.
It gets the full state: a strategy with less information must ignore the rest."""


class BestResponse(NamedTuple):
    """Result of the search for a best response.

    Attributes:
        value: Payoff of the plan, in the unit of the game's ``payoffs``.
        upper_bound: Upper bound on the payoff of any reply, under the assumptions above; at least ``value``.
        plan: The line of play, including the opponent's moves.
    """

    value: float
    upper_bound: float
    plan: History

    @property
    def exact(self) -> bool:
        """Whether ``value`` is exact to the precision of the search; otherwise it is a lower bound."""
        return self.upper_bound <= self.value


@dataclass(frozen=True)
class OfferGame:
    """An alternating-offers game as input to the search.

    Attributes:
        rules: Rules with the move kinds ``OFFER``, ``ACCEPT`` and ``REJECT``; a state has ``round``, ``pending`` (an
            amount awaits its answer), ``agreed`` and ``over``.
        amounts: Candidate amounts, from the opponent's most to its least preferred. No amount outside their range may
            be worth more than those inside.
        precision: Amounts closer than this count as equal.
        payoff_bound: Maximum payoff to the seat of an agreement in a round or later; at the end that of disagreement.
        has_amount_limit: Whether amounts are bounded by what there is to share.
    """

    rules: Any
    params: Any
    seat: int
    amounts: tuple[float, ...]
    precision: float
    payoff_bound: Callable[[int], float]
    has_amount_limit: bool = True


class _Line(NamedTuple):
    """A line of play: its state and its moves."""

    state: Any
    history: History


def best_response(
    game: Callable[[Any, int, int], OfferGame],
    params: Any,
    seat: int,
    opponent: Opponent,
    *,
    memory: Memory = "history",
    grid: int = 101,
    width: int = 200,
) -> BestResponse:
    """Compute the best response of a seat to a known, deterministic opponent.

    Args:
        game: Builds the `OfferGame` from ``params``, ``seat`` and ``grid``; raises on an invalid setting.
        params: The setting. The true horizon counts even if the seats do not know it: a full-information bound.
        seat: The responding seat, 0 or 1.
        memory: ``"round"`` if the opponent depends only on the round and the pending amount: one line of play suffices
            and the value is exact. ``"history"`` if its later behaviour may depend on amounts that it rejected. With
            ``"round"``, an opponent that does remember gives a lower bound and an invalid upper bound.
        grid: Number of evenly spaced amounts tried per round, >= 2.
        width: Beam width under ``"history"``: lines of play kept at each of the opponent's amounts, >= 1. Half of them
            are those with its best amounts, half are spread over the rest.

    Returns:
        Value in the unit of the game's ``payoffs``, its upper bound, and the line of play that reaches it.

    Raises:
        ValueError: An argument is out of range, or the opponent makes an illegal move.
    """
    _check_arguments(seat, opponent, memory, grid, width)
    search = _Search(game(params, seat, grid), opponent, memory, width)
    search.run()
    return BestResponse(search.value, max(search.value, search.upper_bound), search.plan)


def regret(
    compute_best_response: Callable[..., BestResponse],
    params: Any,
    seat: int,
    opponent: Opponent,
    payoff: float,
    **search_options: Any,
) -> float:
    """Compute the regret of a seat: the value of its best response minus its payoff.

    Args:
        compute_best_response: `best_response` of the game.
        payoff: Its payoff, in the unit of the game's ``payoffs``.
        **search_options: Passed on to `best_response`: ``memory``, ``grid``, ``width``.

    Returns:
        Regret in the unit of the payoff. Nonnegative if the best response is exact; otherwise a lower bound, which is
        negative if the payoff exceeds that of the reply found.

    Raises:
        ValueError: The payoff is not finite; see also `best_response`.
    """
    earned = check_argument("payoff", payoff, Real())
    return compute_best_response(params, seat, opponent, **search_options).value - earned


def _check_arguments(seat: int, opponent: Opponent, memory: str, grid: int, width: int) -> None:
    seat_of(seat)
    if not callable(opponent):
        raise ValueError(f"opponent={short_repr(opponent)}: expected a function of (params, state, seat, history)")
    if memory not in ("round", "history"):
        raise ValueError(f"memory={short_repr(memory)}: expected 'round' or 'history'")
    check_argument("grid", grid, Integer(2))
    check_argument("width", width, Integer(1))


@dataclass
class _Search:
    game: OfferGame
    opponent: Opponent
    memory: Memory
    width: int
    value: float = -math.inf
    upper_bound: float = -math.inf
    plan: History = field(default=())

    def run(self) -> None:
        """Extend all lines, which are in the same round, by one move until none can improve on the best."""
        lines = [_Line(self.game.rules.initial(self.game.params), ())]
        while lines and self.game.payoff_bound(lines[0].state.round) > self.value:
            longer = [after for line in lines for after in self.extend_line(line)]
            lines = self.prune_lines([line for line in longer if not self.record_if_over(line)])

    def payoff(self, state: Any) -> float:
        return float(self.game.rules.payoffs(self.game.params, state)[self.game.seat])

    def record_if_over(self, line: _Line) -> bool:
        """Return whether the game is over; if so, record the line if it is the best."""
        if line.state.over and self.payoff(line.state) > self.value:
            self.value, self.plan = self.payoff(line.state), line.history
        return bool(line.state.over)

    def extend_line(self, line: _Line) -> list[_Line]:
        """Return the line extended by each candidate move."""
        if self.game.rules.to_act(self.game.params, line.state) != self.game.seat:
            return [self.apply_opponent_move(line)]
        if line.state.pending:
            return [
                self.apply_move(line, Move(kind, (0.0,))) for kind in (self.game.rules.ACCEPT, self.game.rules.REJECT)
            ]
        return self.proposals(line)

    def proposals(self, line: _Line) -> list[_Line]:
        """Lines after our proposal and its answer: the boldest accepted one, and rejected ones that may matter."""
        answered = [self.apply_proposal(line, amount) for amount in self.game.amounts]
        accepted = [bool(after.state.agreed) for after in answered]
        rejected = [after for after in answered if not after.state.agreed]
        last = max((index for index, agreed in enumerate(accepted) if agreed), default=-1)
        # The grid can disprove monotony but not prove it.
        monotone = getattr(self.opponent, "monotone", True) and all(accepted[: max(last, 0)])
        if not monotone and last < len(accepted) - 1:  # any amount between those of the grid may be accepted
            self.raise_upper_bound(line.state.round)
        if last < 0:
            return self.distinguishable_lines(rejected)
        if last == len(accepted) - 1:
            return [answered[last], *self.distinguishable_lines(rejected)]
        mild, bold = self.find_acceptance_edge(line, self.game.amounts[last], self.game.amounts[last + 1])
        return [
            self.apply_proposal(line, mild),
            *self.distinguishable_lines([self.apply_proposal(line, bold), *rejected]),
        ]

    def find_acceptance_edge(self, line: _Line, mild: float, bold: float) -> tuple[float, float]:
        """Bisect to an accepted amount next to a rejected one."""
        while abs(bold - mild) > self.game.precision:
            middle = mild + (bold - mild) / 2.0
            # No float lies between the two.
            if middle in (mild, bold):
                break
            if self.apply_proposal(line, middle).state.agreed:
                mild = middle
            else:
                bold = middle
        return mild, bold

    def distinguishable_lines(self, rejected: list[_Line]) -> list[_Line]:
        """Lines that the opponent may treat differently, out of those that differ in the amount just rejected."""
        running = [line for line in rejected if not line.state.over]
        if self.memory == "round" or not running:
            # To such an opponent all running lines are one; the boldest rejected amount stands for them.
            return running[-1:] or rejected[-1:]
        self.raise_upper_bound(running[0].state.round)  # for amounts that are not on the grid
        # Lines that ended pay all the same, so one of them suffices.
        return [*running, *(line for line in rejected[-1:] if line.state.over)]

    def raise_upper_bound(self, round: int) -> None:
        """Raise the upper bound to that of an agreement in this round or later."""
        self.upper_bound = max(self.upper_bound, self.game.payoff_bound(round))

    def prune_lines(self, lines: list[_Line]) -> list[_Line]:
        """Keep at most `width` lines, chosen where the opponent has just proposed."""
        # Amounts of the opponent rank lines by what accepting would pay; after own moves nothing does.
        if len(lines) <= self.width or not lines[0].state.pending:
            return lines
        accept = Move(self.game.rules.ACCEPT, (0.0,))
        ranked = sorted(lines, key=lambda line: -self.payoff(self.apply_move(line, accept).state))
        best = (self.width + 1) // 2
        rest, places = ranked[best:], self.width - best
        # The other half keeps lines that pay less now but may lead the opponent elsewhere.
        return ranked[:best] + [rest[place * len(rest) // places] for place in range(places)]

    def apply_proposal(self, line: _Line, amount: float) -> _Line:
        """Return the line after our proposal and the opponent's answer."""
        return self.apply_opponent_move(self.apply_move(line, Move(self.game.rules.OFFER, (amount,))))

    def apply_opponent_move(self, line: _Line) -> _Line:
        """Return the line after the opponent's move; raise if it is illegal."""
        other, rules, params = 1 - self.game.seat, self.game.rules, self.game.params
        move = self.opponent(params, line.state, other, line.history)
        legal, ((lowest, highest),) = rules.legal(params, line.state, other), rules.bounds(params, line.state, other)
        is_move = isinstance(move, tuple) and len(move) == 2 and move[0] in range(len(legal))
        if not is_move or not legal[move[0]] or not lowest <= move[1][0] <= highest:
            raise ValueError(f"opponent in seat {other}, round {line.state.round}: illegal move {short_repr(move)}")
        return self.apply_move(line, move)

    def apply_move(self, line: _Line, move: Move) -> _Line:
        """Return the line after a move of the seat to act."""
        rules, params = self.game.rules, self.game.params
        seat = rules.to_act(params, line.state)
        return _Line(rules.apply(params, line.state, (move,)), (*line.history, (seat, line.state.round, move)))
