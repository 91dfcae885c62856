"""Scripts and trained policies as functions of the game state, for best-response computation."""

from __future__ import annotations

from copy import copy
from functools import cache, lru_cache
from typing import Any

import numpy as np

from econzoo.baselines.factory import player, scripted_players
from econzoo.baselines.rl_policy import PolicyPlayer
from econzoo.envs.core import players_of
from econzoo.envs.core.contract import Game, Move
from econzoo.envs.core.faces import InformationState
from econzoo.wrappers import SeatInfo

CACHE_SIZE = 100_000
"""Maximum number of cached decisions."""

History = tuple[tuple[int, int, Move], ...]
"""All moves so far, in order: seat, round and move."""


class LearnedOpponent:
    """A policy that plays its likeliest action as a function ``opponent(params, state, seat, history) -> Move``.

    It gets the same observations as in a match. Its memory of earlier decisions is recomputed by replaying the moves so
    far.
    """

    memory = "history"
    """Observations show the last offer, even if it was rejected."""

    monotone = False
    """A network may accept an offer and reject a better one."""

    def __init__(self, policy: PolicyPlayer, game: Game) -> None:
        self.policy, self.game = policy, game
        self._seated = lru_cache(maxsize=64)(self._seat_player)
        self._decisions = lru_cache(maxsize=CACHE_SIZE)(self._decide)

    def __call__(self, params: Any, state: Any, seat: int, history: Any) -> Move:
        """Return the policy's move in a seat; a policy with memory needs the history."""
        # Without memory all histories to a state share one cached decision.
        past = tuple(history) if self.policy.network.has_memory else ()
        return self._decisions(params, state, seat, past)[0]

    def _seat_player(self, params: Any, seat: int) -> PolicyPlayer:
        """Return the policy at the start of a match."""
        rules, seated = self.game.rules, copy(self.policy)
        view = rules.observe(params, rules.initial(params), seat)
        features = tuple(self.game.feature_names(params))
        seated.reset(seat, SeatInfo(self.game, self.game.seats(params), view, False, features=features), 0)
        return seated

    def _decide(self, params: Any, state: Any, seat: int, history: History) -> tuple[Move, np.ndarray]:
        """Return the move and the memory after the decision."""
        seated, seen = self._seated(params, seat), self._observe(params, state, seat)
        numbers = seated.codec(seen).observe(seen)
        features, mask = numbers["observation"][None], np.asarray(numbers["action_mask"], bool)[None]
        moves: Any = seated.codec(seen).moves
        probabilities, memory = seated.network.decide(features, mask, [self._last_memory(params, seat, history)], moves)
        chosen = seated.choose(probabilities[0], seen)
        actions = self.game.actions_of(params)
        return actions.move(actions.from_plain(chosen)), memory[0] if len(memory) else memory

    def _last_memory(self, params: Any, seat: int, history: History) -> np.ndarray | None:
        """Return the memory after the last decision in a history; None without one."""
        last = next((at for at in reversed(range(len(history))) if history[at][0] == seat), None)
        if last is None:
            return None
        # Recursion over the own decisions, each cached: one forward pass per decision of the game tree.
        past, state = history[:last], self.game.rules.initial(params)
        for _, _, move in past:
            state = self.game.rules.apply(params, state, (move,))
        return self._decisions(params, state, seat, past)[1]

    def _observe(self, params: Any, state: Any, seat: int) -> InformationState:
        rules = self.game.rules
        return InformationState(rules.observe(params, state, seat), rules.legal_moves(params, state, seat), (), None)

    def __repr__(self) -> str:
        return f"<opponent {self.policy.spec}>"


def opponent_function(game: Game, spec: str) -> Any:
    """Return the opponent as a function for ``best_response``; None if its policy is not available."""
    make, prefix = getattr(players_of(game.name), "make_opponent", None), spec.partition(":")[0]
    if make is None or (prefix != "ppo" and spec.partition("(")[0].strip() not in scripted_players(game.name)):
        return None
    try:
        return learned_opponent(spec, game) if prefix == "ppo" else make(spec)
    except (ValueError, FileNotFoundError):  # not a function of its observations, or of another game
        return None


@cache
def learned_opponent(spec: str, game: Game) -> LearnedOpponent:
    """Return a trained policy as an opponent function."""
    policy = player(spec, game.name)
    if not isinstance(policy, PolicyPlayer) or not policy.deterministic:
        raise ValueError(f"invalid player {spec!r}: expected a deterministic policy")
    return LearnedOpponent(policy, game)
