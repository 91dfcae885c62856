"""The best that a seat can do against an opponent whose behaviour is known, where two seats haggle over one number.

For games in which the seats take turns to name an amount and to answer it with yes or no. The opponent is any
deterministic function of what it has seen. Its answer to every line of play is asked from it, so nothing has to be
known about how it is made. The search walks all lines of play in step, one move at a time. It ends when nothing that
can still be agreed pays more than the best agreement found.

What is exact. Amounts are numbers on a continuum. In each round in which we name one, the opponent is asked about every
amount of a list, and the edge between the boldest that it takes and the next is found by bisection. So the best
agreement of a round is exact if the opponent is monotone: who takes an amount takes every milder one, and who ends the
game over an amount does so over every bolder one. Otherwise an amount between two refused ones of the list may be
missed; an opponent of which that is not known says so (``monotone = False``), and then only the boldest amount of all
is sure to be the best of a round. A refused amount only matters for what the opponent does later: with
``memory="round"`` not at all, with ``memory="history"`` the refused ones of the list and the mildest refused one are
tried, and a better one may lie between them.

The value found is always reached by the plan that comes with it, hence never too high. `BestResponse.upper_bound`
says what is not excluded, given a monotone opponent and the declared memory; if it equals the value, that is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from econzoo.envs.core.contract.arguments import check_argument
from econzoo.envs.core.contract.game import Move
from econzoo.envs.core.contract.parameters import Integer, Real
from econzoo.envs.core.contract.validation import short_repr
from econzoo.envs.families.two_seats import seat_of

PlayedMove = tuple[int, int, Move]
"""Seat, round (1-based) and move."""
History = tuple[PlayedMove, ...]
"""All moves so far, in order."""
Opponent = Callable[[Any, Any, int, History], Move]
"""Called as ``opponent(params, state, seat, history)`` with its own seat; always gives the same move for the same
arguments. It sees the whole state: a strategy for less information has to ignore what it may not know."""
Memory = Literal["round", "history"]


class BestResponse(NamedTuple):
    """The best reply found.

    Attributes:
        value: Payoff that the plan reaches, in the unit of the game's ``payoffs``.
        upper_bound: Payoff that no reply exceeds, given the assumptions above; at least ``value``.
        plan: The whole line of play, the opponent's moves included.
    """

    value: float
    upper_bound: float
    plan: History

    @property
    def exact(self) -> bool:
        """Whether no reply is better (to the precision of the search); otherwise ``value`` is a lower bound."""
        return self.upper_bound <= self.value


@dataclass(frozen=True)
class OfferGame:
    """A game as the search sees it.

    Attributes:
        rules: Its functions and its kinds of move ``OFFER``, ``ACCEPT`` and ``REJECT``; a state has ``round``,
            ``pending`` (an amount waits for its answer), ``agreed`` and ``over``.
        params: The market.
        seat: The seat that replies.
        amounts: What it may name, tried in this order: from what the opponent likes best to what it likes least. No
            amount outside them can be worth more than those inside.
        precision: Amounts closer than this count as one.
        payoff_bound: Most that an agreement in a round or later can pay the seat; at the end what no agreement pays.
        has_amount_limit: Whether amounts are limited by what there is to share.
    """

    rules: Any
    params: Any
    seat: int
    amounts: tuple[float, ...]
    precision: float
    payoff_bound: Callable[[int], float]
    has_amount_limit: bool = True


class _Line(NamedTuple):
    """One line of play: where it led and how."""

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
    """The most a seat can earn against a known, deterministic opponent.

    Args:
        game: The game as the search sees it, from ``params``, ``seat`` and ``grid``; refuses what is no market.
        params: The market. The true horizon counts, also if the seats are not told: a ceiling of full information.
        seat: The seat that replies, 0 or 1.
        opponent: How the other seat behaves.
        memory: ``"round"`` if the opponent looks only at the round and at the amount it has to answer: then one line of
            play is enough and the value is exact. ``"history"`` if its later behaviour may depend on amounts it
            rejected: a search. ``"round"`` for an opponent that does remember gives a lower bound, and the upper bound
            is void.
        grid: Number of evenly spaced amounts tried per round, >= 2.
        width: Lines of play kept at each of the opponent's amounts, >= 1, under ``"history"``. If there are more, half
            of those kept are the ones where it names the best amount and half are spread over the rest.

    Returns:
        The value in the unit of the game's ``payoffs``, its upper bound, and the line of play that reaches it.

    Raises:
        ValueError: An argument is out of range, or the opponent makes a move that is not legal.
    """
    _check_arguments(seat, opponent, memory, grid, width)
    found = _Search(game(params, seat, grid), opponent, memory, width)
    found.run()
    return BestResponse(found.value, max(found.value, found.upper_bound), found.plan)


def regret(
    compute_best_response: Callable[..., BestResponse],
    params: Any,
    seat: int,
    opponent: Opponent,
    payoff: float,
    **search_options: Any,
) -> float:
    """What a seat left on the table: the value of its best response minus what it earned.

    Args:
        compute_best_response: The `best_response` of the game.
        params: The market.
        seat: The seat that earned the payoff, 0 or 1.
        opponent: The opponent it earned it against.
        payoff: In the unit of the game's ``payoffs``.
        **search_options: Goes on to `best_response`: ``memory``, ``grid``, ``width``.

    Returns:
        In the unit of the payoff. Never negative where the best response is exact; where that is a lower bound, so is
        the regret, and a reply better than the one found shows as a negative one.

    Raises:
        ValueError: The payoff is not finite, or as in `best_response`.
    """
    earned = check_argument("payoff", payoff, Real())
    return compute_best_response(params, seat, opponent, **search_options).value - earned


def _check_arguments(seat: int, opponent: Opponent, memory: str, grid: int, width: int) -> None:
    """Refuses what a search cannot take."""
    seat_of(seat)
    if not callable(opponent):
        raise ValueError(f"opponent={short_repr(opponent)}: must be a function of (params, state, seat, history)")
    if memory not in ("round", "history"):
        raise ValueError(f"memory={short_repr(memory)}: must be 'round' or 'history'")
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
        """Extends all lines by one move until none can lead to anything better. All are in the same round."""
        lines = [_Line(self.game.rules.initial(self.game.params), ())]
        while lines and self.game.payoff_bound(lines[0].state.round) > self.value:
            longer = [after for line in lines for after in self.extend_line(line)]
            lines = self.prune_lines([line for line in longer if not self.record_if_over(line)])

    def payoff(self, state: Any) -> float:
        """What a position pays the seat."""
        return float(self.game.rules.payoffs(self.game.params, state)[self.game.seat])

    def record_if_over(self, line: _Line) -> bool:
        """Whether the game is over; then its payoff is remembered if it is the best."""
        if line.state.over and self.payoff(line.state) > self.value:
            self.value, self.plan = self.payoff(line.state), line.history
        return bool(line.state.over)

    def extend_line(self, line: _Line) -> list[_Line]:
        """The line with each move worth trying that comes next."""
        if self.game.rules.to_act(self.game.params, line.state) != self.game.seat:
            return [self.apply_opponent_move(line)]
        if line.state.pending:
            return [
                self.apply_move(line, Move(kind, (0.0,))) for kind in (self.game.rules.ACCEPT, self.game.rules.REJECT)
            ]
        return self.proposals(line)

    def proposals(self, line: _Line) -> list[_Line]:
        """After our amount and its answer: the boldest that is taken, and the refused ones that may matter later."""
        answered = [self.apply_proposal(line, amount) for amount in self.game.amounts]
        taken = [bool(after.state.agreed) for after in answered]
        refused = [after for after in answered if not after.state.agreed]
        last = max((index for index, agreed in enumerate(taken) if agreed), default=-1)
        monotone = getattr(self.opponent, "monotone", True) and all(taken[: max(last, 0)])
        if not monotone and last < len(taken) - 1:  # anything may be taken between the amounts of the list
            self.raise_upper_bound(line.state.round)
        if last < 0:
            return self.distinguishable_lines(refused)
        if last == len(taken) - 1:
            return [answered[last], *self.distinguishable_lines(refused)]
        mild, bold = self.find_acceptance_edge(line, self.game.amounts[last], self.game.amounts[last + 1])
        return [
            self.apply_proposal(line, mild),
            *self.distinguishable_lines([self.apply_proposal(line, bold), *refused]),
        ]

    def find_acceptance_edge(self, line: _Line, mild: float, bold: float) -> tuple[float, float]:
        """Closes in on an amount that is taken next to one that is refused."""
        while abs(bold - mild) > self.game.precision:
            middle = mild + (bold - mild) / 2.0
            if middle in (mild, bold):
                break
            if self.apply_proposal(line, middle).state.agreed:
                mild = middle
            else:
                bold = middle
        return mild, bold

    def distinguishable_lines(self, refused: list[_Line]) -> list[_Line]:
        """Of lines that differ in the amount just refused, those the opponent may treat differently."""
        running = [line for line in refused if not line.state.over]
        if self.memory == "round" or not running:
            return running[-1:] or refused[-1:]
        self.raise_upper_bound(running[0].state.round)  # for amounts that are not on the list
        return [*running, *(line for line in refused[-1:] if line.state.over)]

    def raise_upper_bound(self, round: int) -> None:
        """Notes that something better in that round or later is not excluded."""
        self.upper_bound = max(self.upper_bound, self.game.payoff_bound(round))

    def prune_lines(self, lines: list[_Line]) -> list[_Line]:
        """At most `width` lines, chosen when the opponent has just shown what it asks for."""
        if len(lines) <= self.width or not lines[0].state.pending:
            return lines
        yes = Move(self.game.rules.ACCEPT, (0.0,))
        ranked = sorted(lines, key=lambda line: -self.payoff(self.apply_move(line, yes).state))
        best = (self.width + 1) // 2
        rest, places = ranked[best:], self.width - best
        return ranked[:best] + [rest[place * len(rest) // places] for place in range(places)]

    def apply_proposal(self, line: _Line, amount: float) -> _Line:
        """The line after our amount and the opponent's answer."""
        return self.apply_opponent_move(self.apply_move(line, Move(self.game.rules.OFFER, (amount,))))

    def apply_opponent_move(self, line: _Line) -> _Line:
        """The line after the opponent's move, which must be legal."""
        other, rules, params = 1 - self.game.seat, self.game.rules, self.game.params
        move = self.opponent(params, line.state, other, line.history)
        legal, ((lowest, highest),) = rules.legal(params, line.state, other), rules.bounds(params, line.state, other)
        is_move = isinstance(move, tuple) and len(move) == 2 and move[0] in range(len(legal))
        if not is_move or not legal[move[0]] or not lowest <= move[1][0] <= highest:
            raise ValueError(
                f"opponent in seat {other}, round {line.state.round}: {short_repr(move)} is not a legal move"
            )
        return self.apply_move(line, move)

    def apply_move(self, line: _Line, move: Move) -> _Line:
        """The line after a move of the seat whose turn it is."""
        rules, params = self.game.rules, self.game.params
        seat = rules.to_act(params, line.state)
        return _Line(rules.apply(params, line.state, (move,)), (*line.history, (seat, line.state.round, move)))
