"""Players as functions of what they see, for the search for best responses: scripts, and trained policies."""

from __future__ import annotations

from copy import copy
from functools import cache, lru_cache
from typing import Any

import numpy as np

from econzoo.baselines.factory import player, scripted_players
from econzoo.baselines.player import SeatInfo
from econzoo.baselines.rl_policy import PolicyPlayer
from econzoo.envs.core.contract.game import Game, Move
from econzoo.envs.core.faces.structured_face import InformationState
from econzoo.envs.core.registry import players_of

CACHE_SIZE = 100_000
"""Positions whose answer is kept."""

History = tuple[tuple[int, int, Move], ...]
"""All moves so far, in order: seat, round and move."""


class LearnedOpponent:
    """A policy that plays its likeliest action as a function ``opponent(params, state, seat, history) -> Move``.

    It is shown what its seat may know, as at the table, and answers as it does there. What it remembers of its earlier
    decisions follows from the moves so far: these are played again, up to each of its decisions.

    Args:
        policy: One that draws nothing.
        game: What it plays.
    """

    memory = "history"
    """Positions tell it what was last offered, also if that was refused."""

    monotone = False
    """A network may take an amount and refuse a milder one."""

    def __init__(self, policy: PolicyPlayer, game: Game) -> None:
        self.policy, self.game = policy, game
        self._seated = lru_cache(maxsize=64)(self._seat_player)
        self._decisions = lru_cache(maxsize=CACHE_SIZE)(self._decide)

    def __call__(self, params: Any, state: Any, seat: int, history: Any) -> Move:
        """The move of the policy in that seat; one that remembers needs the history."""
        past = tuple(history) if self.policy.network.has_memory else ()
        return self._decisions(params, state, seat, past)[0]

    def _seat_player(self, params: Any, seat: int) -> PolicyPlayer:
        """The policy at the start of a match.

        Raises:
            ValueError: It was trained for something else.
        """
        rules, sitting = self.game.rules, copy(self.policy)
        view = rules.observe(params, rules.initial(params), seat)
        features = tuple(self.game.feature_names(params))
        sitting.reset(seat, SeatInfo(self.game, self.game.seats(params), view, False, features=features), 0)
        return sitting

    def _decide(self, params: Any, state: Any, seat: int, history: History) -> tuple[Move, np.ndarray]:
        """The move, and what is remembered of the decision."""
        sitting, seen = self._seated(params, seat), self._observe(params, state, seat)
        numbers = sitting.codec(seen).observe(seen)
        features, mask = numbers["observation"][None], np.asarray(numbers["action_mask"], bool)[None]
        moves: Any = sitting.codec(seen).moves
        chances, kept = sitting.network.decide(features, mask, [self._last_memory(params, seat, history)], moves)
        chosen = sitting.choose(chances[0], seen)
        actions = self.game.actions_of(params)
        return actions.move(actions.from_plain(chosen)), kept[0] if len(kept) else kept

    def _last_memory(self, params: Any, seat: int, history: History) -> np.ndarray | None:
        """What was remembered of the last decision in a history; None: there was none."""
        last = next((at for at in reversed(range(len(history))) if history[at][0] == seat), None)
        if last is None:
            return None
        before, state = history[:last], self.game.rules.initial(params)
        for _, _, move in before:
            state = self.game.rules.apply(params, state, (move,))
        return self._decisions(params, state, seat, before)[1]

    def _observe(self, params: Any, state: Any, seat: int) -> InformationState:
        rules = self.game.rules
        return InformationState(rules.observe(params, state, seat), rules.legal_moves(params, state, seat), (), None)

    def __repr__(self) -> str:
        return f"<opponent {self.policy.spec}>"


def opponent_function(game: Game, spec: str) -> Any:
    """The opponent as the function that ``best_response`` takes, or None if its behaviour is not known."""
    make, prefix = getattr(players_of(game.name), "make_opponent", None), spec.partition(":")[0]
    if make is None or (prefix != "ppo" and spec.partition("(")[0].strip() not in scripted_players(game.name)):
        return None
    try:
        return learned_opponent(spec, game) if prefix == "ppo" else make(spec)
    except (ValueError, FileNotFoundError):  # a player that is no function of what it observes, or of another game
        return None


@cache
def learned_opponent(spec: str, game: Game) -> LearnedOpponent:
    """A trained policy as such a function.

    Raises:
        ValueError: It draws its moves, or plays another game.
        FileNotFoundError: No such policy file.
    """
    policy = player(spec, game.name)
    if not isinstance(policy, PolicyPlayer) or not policy.deterministic:
        raise ValueError(f"player {spec!r} is not allowed; allowed: a policy that draws nothing")
    return LearnedOpponent(policy, game)
