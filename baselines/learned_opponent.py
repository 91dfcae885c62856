"""Trained policies as functions of what they see, for the search for best responses."""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from typing import Any

import numpy as np

from econzoo.baselines.player import SeatInfo
from econzoo.baselines.rl_policy import PolicyPlayer
from econzoo.envs.core.contract.game import Game, Move
from econzoo.envs.core.contract.moves import Legal
from econzoo.envs.core.faces.structured_face import Seen

REMEMBERED = 100_000
"""Positions whose answer is kept."""


class LearnedOpponent:
    """A policy that plays its likeliest action as a function ``opponent(params, state, seat, history) -> Move``.

    It is shown what its seat may know, as at the table, and answers as it does there.

    Args:
        policy: One that draws nothing.
        game: What it plays.
    """

    memory = "history"
    """Positions tell it what was last offered, also if that was refused."""

    def __init__(self, policy: PolicyPlayer, game: Game) -> None:
        self.policy, self.game = policy, game
        self._seated = lru_cache(maxsize=64)(self._sit_down)
        self._moves = lru_cache(maxsize=REMEMBERED)(self._move)

    def __call__(self, params: Any, state: Any, seat: int, history: Any) -> Move:
        """The move of the policy in that seat; the history is in the position, as far as it knows it."""
        return self._moves(params, state, seat)

    def _sit_down(self, params: Any, seat: int) -> PolicyPlayer:
        """The policy at the start of a match.

        Raises:
            ValueError: It was trained for something else.
        """
        rules, sitting = self.game.rules, copy(self.policy)
        view = rules.observe(params, rules.initial(params), seat)
        features = tuple(self.game.feature_names(params))
        sitting.reset(seat, SeatInfo(self.game, self.game.seats(params), view, False, features=features), 0)
        return sitting

    def _move(self, params: Any, state: Any, seat: int) -> Move:
        sitting, seen = self._seated(params, seat), self._seen(params, state, seat)
        numbers = sitting.codec(seen).observe(seen)
        features, mask = numbers["observation"][None], np.asarray(numbers["action_mask"], bool)[None]
        moves: Any = sitting.codec(seen).moves
        chances, _ = sitting.network.decide(features, mask, [None], moves)
        chosen = sitting.choose(chances[0], seen)
        actions = self.game.actions_of(params)
        return actions.move(actions.typed(chosen))

    def _seen(self, params: Any, state: Any, seat: int) -> Seen:
        rules = self.game.rules
        kinds, bounds = rules.legal(params, state, seat), rules.bounds(params, state, seat)
        span = None if rules.span is None else rules.span(params, state, seat)
        legal = Legal(kinds, bounds, False, span, grid=self.game.grid(params))
        return Seen(rules.observe(params, state, seat), legal, (), None)

    def __repr__(self) -> str:
        return f"<opponent {self.policy.spec}>"
