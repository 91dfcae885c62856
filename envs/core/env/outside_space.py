"""Answers outside the space of a face."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from econzoo.envs.core.contract.validation import Invalid, short_repr
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.structured_face import Face, StructuredFace
from econzoo.envs.core.faces.text_face import TextFace

OUTSIDE_SPACE = "outside_space"
"""Error code of an action outside its space."""


def space_error(face: Face, answer: Any, agent: str) -> Invalid | None:
    """Return why an action is outside its space (a bug in the caller's loop or network), or None.

    Text, and on the structured face objects, are inside: players are asked again if they are no legal move.
    """
    hint = "; only a terminated agent takes None" if answer is None else ""
    if isinstance(face, NumericFace):
        is_inside, allowed, shape = face.contains(answer), face.moves.allowed, getattr(answer, "shape", None)
        if shape is not None and prod(shape) == 1 and face.contains(answer.item()):
            hint = "; pass int(action) or action.item()"
    elif isinstance(face, TextFace):
        is_inside, allowed = isinstance(answer, str), "text"
    else:
        assert isinstance(face, StructuredFace)
        is_inside = isinstance(answer, Mapping | str) or answer.__class__ in face.game.actions.models
        allowed = "an object with keys"
    if is_inside:
        return None
    text = f"action {short_repr(answer)} of {agent} is outside its space; allowed: {allowed}{hint}"
    return Invalid(OUTSIDE_SPACE, text)
