"""Strategies as functions against the same strategies at the table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import econzoo
from econzoo.envs.core.contract import DONE, Game
from econzoo.envs.families.offers import Opponent


def plays_as_at_the_table(game: Game, as_opponent: Callable[[str], Opponent], specs: tuple[str, str], **given: Any):
    """Asserts that the functions of two strategies make the moves of the match that the strategies play."""
    rules, params = game.rules, game.params(**given)[1]
    opponents, state, history = [as_opponent(spec) for spec in specs], rules.initial(params), ()
    for turn in econzoo.play(game.name, list(specs), **given).turns:
        seat = rules.to_act(params, state)
        move = opponents[seat](params, state, seat, history)
        kind = game.actions.kinds[move.kind]
        assert (kind.name, move.values[0]) == (turn.action["kind"], turn.action.get(kind.amount, 0.0)), (specs, given)
        state, history = rules.apply(params, state, (move,)), (*history, (seat, state.round, move))
    assert rules.to_act(params, state) == DONE
