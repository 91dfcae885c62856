"""Wrapper that changes messages by any function.

For lost and scrambled messages use the recorded environment option ``channel="off"`` or ``channel="scrambled"`` (see
`econzoo.envs.core.env.channel`). Unlike with ``messages=False``, players still believe that they can send messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils import BaseWrapper

from econzoo.envs.core.contract import Invalid
from econzoo.envs.core.env import CHANGES, Change, apply_channel, check_choice, message_change
from econzoo.envs.core.faces import TextFace
from econzoo.wrappers.face import check_aec_env

__all__ = ["MessageChannel"]


class MessageChannel(BaseWrapper):
    """Changes every message on its way; the sender's own history shows the changed message, too.

    Args:
        env: Environment with a structured or text face.
        change: ``"off"``, ``"scrambled"``, or a function of (message, generator).

    Raises:
        ValueError: Unknown change.
    """

    def __init__(self, env: Any, change: str | Change) -> None:
        super().__init__(check_aec_env(env))
        if not callable(change):
            check_choice("change", change, tuple(CHANGES))
        self._change_option = change

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """See `econzoo.envs.core.env.aec.GameEnv.reset`; the seed also determines the change."""
        self.env.reset(seed=seed, options=options)
        inner, given = self.env.unwrapped, self._change_option
        self.change: Any = given if callable(given) else message_change(given, inner.actions.symbols)
        # After `reset`, which sets the seed.
        self._rng = inner.stream("channel")

    def step(self, action: Any) -> None:
        """Play an action with its message changed; pass invalid actions on unchanged."""
        self.env.step(self._change_action(action))

    def _change_action(self, action: Any) -> Any:
        inner, agent = self.env.unwrapped, self.env.agent_selection
        if action is None or self.env.terminations[agent] or self.env.truncations[agent]:
            return action
        schema, face = inner.game.actions, self.env.face(agent)
        legal, text = inner.legal(agent), isinstance(face, TextFace)
        typed = face.decode(action, legal) if text else self._parse_structured(schema, action, legal)
        # The inner environment counts and words the error.
        if isinstance(typed, Invalid):
            return action
        other = apply_channel(schema, typed, self.change, self._rng)
        if other is typed:
            return action
        return face.teller.write(other, legal) if text else schema.to_plain(other)

    @staticmethod
    def _parse_structured(schema: Any, action: Any, legal: Any) -> Any:
        return schema.parse(schema.to_plain(action) if action.__class__ in schema.models else action, legal)
