"""The most that a seat can expect against an opponent whose behaviour is known, while its values need not be.

The opponent is any deterministic function of what its seat has seen; it is asked for its move on every line of play,
which takes small games unless it looks at nothing but the position. If the seat is not sure of the other's values, its
beliefs are those that fit the moves so far, by Bayes' rule, and it plays one strategy for all of them. The search is
exhaustive and so exact.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from econzoo.envs.core.contract.game import DONE, Move
from econzoo.envs.families.offers.best_response import History, Memory, Opponent
from econzoo.envs.games.multi_issue import rules
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK, Params, State
from econzoo.envs.games.multi_issue.solution import divisions

__all__ = ["BestResponse", "best_response"]

Beliefs = tuple[tuple[tuple[int, ...], float], ...]
"""Values that the other may have, each with its probability."""

SettingBeliefs = tuple[tuple[Params, float], ...]
"""The same as whole settings, which differ in the values of the other only."""


class BestResponse(NamedTuple):
    """The expected discounted points of a seat, and its best move now; None if the other is to move."""

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
        params: The setting.
        seat: The seat that responds, 0 or 1.
        opponent: ``opponent(params, state, seat, history) -> Move``, say `baselines.multi_issue.as_opponent`.
        beliefs: About the opponent's values, say `scenarios.beliefs`; None: the seat knows them.
        memory: ``"round"`` if the opponent looks at the position alone, else ``"history"``.
        start: The position to go on from, with no moves before it; None: the beginning.
    """
    own, types = params.values[seat], ((params.values[1 - seat], 1.0),) if beliefs is None else beliefs
    both = [((own, other) if seat == 0 else (other, own), chance) for other, chance in types]
    markets = tuple((params._replace(values=values), chance) for values, chance in both)
    return _Search(seat, opponent, memory == "history").cached_solve(start or rules.initial(params), (), markets)


class _Search:
    def __init__(self, seat: int, opponent: Opponent, has_memory: bool) -> None:
        self.seat, self.opponent, self.has_memory = seat, opponent, has_memory
        self.cached_solve = cache(self.solve)

    def solve(self, s: State, history: History, markets: SettingBeliefs) -> BestResponse:
        """The best from a position on; the value counts each of the settings with its probability."""
        p = markets[0][0]
        turn = rules.to_act(p, s)
        if turn == DONE:
            return BestResponse(rules.payoffs(p, s)[self.seat] * sum(chance for _, chance in markets), None)
        if turn == self.seat:
            return max(
                (self.move_value(s, history, markets, move) for move in legal_moves(p, s)),
                key=lambda found: found.value,
            )
        told: dict[Move, SettingBeliefs] = {}
        for one in markets:
            move = self.opponent(one[0], s, turn, history)
            told[move] = (*told.get(move, ()), one)
        return BestResponse(sum(self.move_value(s, history, some, move).value for move, some in told.items()), None)

    def move_value(self, s: State, history: History, markets: SettingBeliefs, move: Move) -> BestResponse:
        """What a move is worth."""
        p = markets[0][0]
        past = (*history, (rules.to_act(p, s), s.round, move)) if self.has_memory else ()
        return BestResponse(self.cached_solve(rules.apply(p, s, (move,)), past, markets).value, move)


def legal_moves(p: Params, s: State) -> list[Move]:
    """All that can be played."""
    none, may = (0.0,) * len(p.items), rules.legal(p, s, rules.to_act(p, s))
    offers = [Move(OFFER, keep) for keep in divisions(p.items) if may[OFFER]]
    return [*offers, *[Move(kind, none) for kind in (ACCEPT, TALK, LEAVE) if may[kind]]]
