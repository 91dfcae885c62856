"""Best response to a known opponent strategy, with known or unknown values of the opponent.

The opponent is any deterministic function of its observations; it is queried on every line of play, which is feasible
in small games, or if it depends on the position only. If the seat does not know the other's values, it updates its
beliefs by Bayes' rule and plays one strategy for all of them. The search is exhaustive, hence exact.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from econzoo.envs.core.contract import DONE, Move
from econzoo.envs.families.offers import History, Memory, Opponent
from econzoo.envs.games.multi_issue import rules
from econzoo.envs.games.multi_issue.rules import ACCEPT, LEAVE, OFFER, TALK, Params, State
from econzoo.envs.games.multi_issue.solution import divisions

__all__ = ["BestResponse", "best_response"]

Beliefs = tuple[tuple[tuple[int, ...], float], ...]
"""Possible values of the other, with probabilities."""

SettingBeliefs = tuple[tuple[Params, float], ...]
"""Beliefs as settings that differ only in the other's values."""


class BestResponse(NamedTuple):
    """Expected discounted points of a seat, and its best current move; None if the other is to move."""

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
    """Compute the best response of a seat to an opponent.

    Args:
        params: The setting.
        seat: The responding seat, 0 or 1.
        opponent: ``opponent(params, state, seat, history) -> Move``, e.g. `baselines.multi_issue.as_opponent`.
        beliefs: Beliefs about the opponent's values, e.g. `scenarios.beliefs`; None if the seat knows them.
        memory: ``"round"`` if the opponent depends on the position only, else ``"history"``.
        start: Start position, with an empty history; default: the initial one.
    """
    own, types = params.values[seat], ((params.values[1 - seat], 1.0),) if beliefs is None else beliefs
    both = [((own, other) if seat == 0 else (other, own), chance) for other, chance in types]
    settings = tuple((params._replace(values=values), chance) for values, chance in both)
    return _Search(seat, opponent, memory == "history").cached_solve(start or rules.initial(params), (), settings)


class _Search:
    def __init__(self, seat: int, opponent: Opponent, has_memory: bool) -> None:
        self.seat, self.opponent, self.has_memory = seat, opponent, has_memory
        self.cached_solve = cache(self.solve)

    def solve(self, s: State, history: History, settings: SettingBeliefs) -> BestResponse:
        """Best response from a position on; the value is weighted by the probabilities of the settings."""
        p = settings[0][0]
        turn = rules.to_act(p, s)
        if turn == DONE:
            return BestResponse(rules.payoffs(p, s)[self.seat] * sum(chance for _, chance in settings), None)
        if turn == self.seat:
            return max(
                (self.move_value(s, history, settings, move) for move in legal_moves(p, s)),
                key=lambda found: found.value,
            )
        # Each move of the opponent leaves the settings in which it makes it: Bayes' rule with weights that are not
        # normalised, so that values add up.
        by_move: dict[Move, SettingBeliefs] = {}
        for one in settings:
            move = self.opponent(one[0], s, turn, history)
            by_move[move] = (*by_move.get(move, ()), one)
        values = [self.move_value(s, history, consistent, move).value for move, consistent in by_move.items()]
        return BestResponse(sum(values), None)

    def move_value(self, s: State, history: History, settings: SettingBeliefs, move: Move) -> BestResponse:
        p = settings[0][0]
        # Without memory lines that meet in a position share its cached value.
        past = (*history, (rules.to_act(p, s), s.round, move)) if self.has_memory else ()
        return BestResponse(self.cached_solve(rules.apply(p, s, (move,)), past, settings).value, move)


def legal_moves(p: Params, s: State) -> list[Move]:
    none, may = (0.0,) * len(p.items), rules.legal(p, s, rules.to_act(p, s))
    offers = [Move(OFFER, keep) for keep in divisions(p.items) if may[OFFER]]
    return [*offers, *[Move(kind, none) for kind in (ACCEPT, TALK, LEAVE) if may[kind]]]
