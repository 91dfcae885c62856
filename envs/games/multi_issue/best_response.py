"""The most that a seat can expect against an opponent whose behaviour is known, while its values need not be.

The opponent is any deterministic function of what its seat has seen; it is asked for its move on every line of play.
If the seat is not sure of the other's values, its beliefs are those that fit the moves so far, by Bayes' rule, and it
plays one strategy for all of them. The search is exhaustive and so exact. For an opponent that looks at nothing but
the position (``memory="round"``) each position is solved once; else each line of play is, which takes small games.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from econzoo.envs.core.contract.game import DONE, Move
from econzoo.envs.families.offers.best_response import History, Memory, Opponent
from econzoo.envs.games.multi_issue import rules
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK, Params, State
from econzoo.envs.games.multi_issue.solution import divisions

__all__ = ["BestResponse", "best_response"]

Beliefs = tuple[tuple[tuple[int, ...], float], ...]
"""Values that the other may have, each with its probability."""


class BestResponse(NamedTuple):
    """The most that a seat can expect, and how it gets it.

    Attributes:
        value: Expected discounted points.
        move: Its best move now; None if the other is to move.
    """

    value: float
    move: Move | None


def best_response(
    params: Params,
    seat: int,
    opponent: Opponent,
    beliefs: Beliefs | None = None,
    memory: Memory = "history",
    start: State | None = None,
) -> BestResponse:
    """The best that a seat can do against an opponent.

    Args:
        params: The market.
        seat: The seat that responds, 0 or 1.
        opponent: ``opponent(params, state, seat, history) -> Move``, say `baselines.multi_issue.as_opponent`.
        beliefs: About the opponent's values, say `scenarios.beliefs`; None: the seat knows them.
        memory: ``"round"`` if the opponent looks at the position alone, else ``"history"``.
        start: The position to go on from, with no moves before it; None: the beginning.
    """
    types = ((params.values[1 - seat], 1.0),) if beliefs is None else beliefs
    search = _Search(params, seat, opponent, memory == "history")
    return search.solved(start or rules.initial(params), (), types)


@dataclass
class _Search:
    params: Params
    seat: int
    opponent: Opponent
    remembers: bool
    _found: dict[Any, BestResponse] = field(default_factory=dict)

    def solved(self, state: State, history: History, types: Beliefs) -> BestResponse:
        """The best from a position on; the value counts each of the types with its probability."""
        key = state, history if self.remembers else (), types
        if key not in self._found:
            self._found[key] = self._solve(state, history, types)
        return self._found[key]

    def _solve(self, state: State, history: History, types: Beliefs) -> BestResponse:
        turn = rules.to_act(self.params, state)
        if turn == DONE:
            paid = rules.payoffs(self.params, state)[self.seat]
            return BestResponse(paid * sum(chance for _, chance in types), None)
        if turn == self.seat:
            return max((self._after(state, history, types, move) for move in self._moves(state)), key=lambda b: b.value)
        groups: dict[Move, list[tuple[tuple[int, ...], float]]] = {}
        for values, chance in types:
            groups.setdefault(self._reply(state, history, values), []).append((values, chance))
        parts = [self._after(state, history, tuple(group), move) for move, group in groups.items()]
        return BestResponse(sum(part.value for part in parts), None)

    def _after(self, state: State, history: History, types: Beliefs, move: Move) -> BestResponse:
        """What a move is worth."""
        seat = rules.to_act(self.params, state)
        after = rules.apply(self.params, state, (move,))
        return BestResponse(self.solved(after, (*history, (seat, state.round, move)), types).value, move)

    def _moves(self, state: State) -> list[Move]:
        none, legal = (0.0,) * len(self.params.items), rules.legal(self.params, state, self.seat)
        offers = [Move(OFFER, keep) for keep in divisions(self.params.items)] if legal[OFFER] else []
        return [*offers, *[Move(kind, none) for kind in (ACCEPT, TALK, LEAVE) if legal[kind]]]

    def _reply(self, state: State, history: History, values: tuple[int, ...]) -> Move:
        """The move of the opponent if these are its values."""
        both = (self.params.values[0], values) if self.seat == 0 else (values, self.params.values[1])
        return self.opponent(self.params._replace(values=both), state, 1 - self.seat, history)
