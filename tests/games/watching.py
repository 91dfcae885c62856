"""All that a seat is shown over a whole match, for tests of what it may know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from econzoo.envs.core.faces import render_reply


def told(env: Any, seat: int, moves: Iterable[dict[str, Any]]) -> str:
    """Plays plain moves to an agreement on any face and tells what a seat saw on the way; numbers have four digits."""
    env.reset(seed=0)
    agent = env.possible_agents[seat]
    face = env.face(agent)
    shown = [face.rules(env.information_state(agent).view)] if face.name in ("text", "chat") else []
    with np.printoptions(precision=4, suppress=True):
        for move in moves:
            shown.append(f"{env.observe(agent)!r} {env.infos[agent]!r}")
            typed = env.game.actions.parse(move, env.legal(env.agent_selection))
            if face.name == "numeric":
                env.step(face.encode(typed, env.legal(env.agent_selection)))
            else:
                env.step(move if face.name == "structured" else render_reply(env.game.actions, typed))
        shown.append(f"{env.observe(agent)!r} {env.infos[agent]!r} {env.rewards[agent]!r}")
    assert env.game_state.agreed
    return "\n".join(shown)
