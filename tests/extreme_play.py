"""Play to the ends of what is legal, where results are extreme."""

from __future__ import annotations

from typing import Any

import numpy as np

from econzoo.testing.playing import Choose, draw, encode


def extreme_policy(seed: int) -> Choose:
    """Random kinds of move, with numbers at ends of their bounds that a seat keeps to in the match."""
    rng = np.random.default_rng(seed)
    sides: dict[str, Any] = {}

    def choose(env: Any, agent: str) -> Any:
        legal = env.legal(agent)
        actions = env.game.actions.fit_to_bounds(legal.bounds)
        kind = int(rng.choice(np.flatnonzero(legal.kinds)))
        slots = range(actions.first[kind], actions.first[kind] + len(actions.marks[kind]))
        numbers = [legal.bounds[slot][sides.setdefault(agent, rng.integers(2, size=9))[slot % 9]] for slot in slots]
        move = actions.make(kind, numbers, "")
        is_legal = actions.validate_action(move, legal) is move
        return encode(env, agent, move if is_legal else draw(rng, env.game, legal))

    return choose
