"""Text around a structured environment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from econzoo.envs.core.contract.actions import Legal
from econzoo.envs.core.faces.prompts import load
from econzoo.envs.core.faces.structured_face import Face
from econzoo.envs.core.faces.text_face import TextFace
from econzoo.wrappers.face import FaceView
from econzoo.wrappers.wrapped import wrapped

__all__ = ["TextObservation"]


class TextObservation(FaceView):
    """Adds ``text`` to the observation and takes a reply with one JSON object, as ``face="text"`` does.

    Args:
        env: An environment made with ``face="structured"``.
        chat: Whether only news is told, as ``face="chat"`` does; the rules are then in ``face(agent).rules(view)``.
        prompts: Own templates (see `econzoo.envs.core.faces.prompts`).

    Raises:
        ValueError: The environment has another face, or a template is not allowed.
    """

    def __init__(self, env: Any, chat: bool = False, prompts: Mapping[str, str] | str | Path | None = None) -> None:
        self.chat = chat
        self._prompts = load(wrapped(env).unwrapped.game.package, prompts)
        super().__init__(env)

    def make_face(self, legal: Legal, seat: int) -> Face:
        """See `econzoo.envs.core.faces.text_face.TextFace`."""
        told = self._prompts, self.chat, self.env.unwrapped.roles, self._features(), self.env.unwrapped.told_actions
        return TextFace(self.game, legal.messages, *told, seat)
