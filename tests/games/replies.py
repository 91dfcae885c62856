"""Checks of best responses for every game of alternating offers: the plan played out, and all replies there are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from econzoo.envs.core.contract import DONE, Move
from econzoo.envs.families.offers import History, Opponent
from econzoo.envs.families.offers.best_response import BestResponse

OFFER = 0


def played_out(rules: Any, p: Any, found: BestResponse, seat: int, opponent: Opponent) -> float:
    """Plays the plan through the rules, asking the opponent again at each of its moves."""
    state, history = rules.initial(p), ()
    for who, round, move in found.plan:
        assert (who, round) == (rules.to_act(p, state), state.round)
        assert who == seat or move == opponent(p, state, who, history)
        state, history = rules.apply(p, state, (move,)), (*history, (who, round, move))
    assert rules.to_act(p, state) == DONE
    return rules.payoffs(p, state)[seat]


def enumerated(rules: Any, p: Any, seat: int, opponent: Opponent, amounts: Sequence[float]) -> float:
    """The best of every reply there is with these amounts and every answer."""

    def value(state: Any, history: History) -> float:
        who = rules.to_act(p, state)
        if who == DONE:
            return rules.payoffs(p, state)[seat]
        if who != seat:
            moves = [opponent(p, state, who, history)]
        elif state.pending:
            moves = [Move(kind, (0.0,)) for kind, legal in enumerate(rules.legal(p, state, seat)) if legal]
        else:
            moves = [Move(OFFER, (amount,)) for amount in amounts]
        return max(value(rules.apply(p, state, (m,)), (*history, (who, state.round, m))) for m in moves)

    return value(rules.initial(p), ())
