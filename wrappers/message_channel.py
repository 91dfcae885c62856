"""What becomes of words on their way: nothing, silence, or the same words in disorder.

The moves stay as they are. A game that is played once with the words and once with this wrapper shows how much of
the result is due to what was said; unlike ``messages=False`` the players still believe that they can speak.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.options import one_of
from econzoo.envs.core.parse import parse_reply, render_reply
from econzoo.envs.core.text_face import TextFace
from econzoo.envs.core.values import Invalid

Change = Callable[[str, np.random.Generator], str]


def off(message: str, rng: np.random.Generator) -> str:
    """Silence."""
    return ""


def scrambled(message: str, rng: np.random.Generator) -> str:
    """The same words in a random order: length and vocabulary stay, the meaning does not."""
    words = message.split()
    return " ".join(words[i] for i in rng.permutation(len(words)))


CHANGES: dict[str, Change] = {"off": off, "scrambled": scrambled}


class MessageChannel(BaseWrapper):
    """Changes every message before it is said; the speaker's own record of it is what the others heard.

    Args:
        env: An environment with a structured or text face.
        change: ``"off"``, ``"scrambled"``, or a function of (message, generator).

    Raises:
        ValueError: Unknown change.
    """

    def __init__(self, env: Any, change: str | Change) -> None:
        super().__init__(env)
        if not callable(change):
            one_of("change", change, tuple(CHANGES))
        self.change = change if callable(change) else CHANGES[change]
        self._rng = np.random.default_rng()

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.aec.GameEnv.reset`; the seed also fixes the disorder."""
        self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._rng = np.random.default_rng([seed, 1])

    def step(self, action: Any) -> None:
        """Plays an action without its words, or with other ones; what is no move is passed on as it is."""
        self.env.step(self._changed(action))

    def _changed(self, action: Any) -> Any:
        inner, agent = self.env.unwrapped, self.env.agent_selection
        if action is None or self.env.terminations[agent] or self.env.truncations[agent]:
            return action
        schema, text = inner.game.actions, isinstance(self.env.face(agent), TextFace)
        legal = inner.legal(agent)
        typed = parse_reply(action, schema, legal) if text else self._parsed(schema, action, legal)
        if isinstance(typed, Invalid):
            return action
        key = schema.kinds[schema.move(typed)[0]].message
        if key is None or not getattr(typed, key):
            return action
        typed = typed._replace(**{key: self.change(getattr(typed, key), self._rng)})
        return render_reply(schema, typed) if text else schema.plain(typed)

    @staticmethod
    def _parsed(schema: Any, action: Any, legal: Any) -> Any:
        return schema.parse(schema.plain(action) if action.__class__ in schema.models else action, legal)
