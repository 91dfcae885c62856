"""Decoding of answers by faces or from records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import Invalid, short_repr
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.structured_face import Face, StructuredFace
from econzoo.envs.core.faces.text_face import TextFace

OUTSIDE_SPACE = "outside_space"
"""Error code of an action outside its space."""


class RecordedAnswer(NamedTuple):
    """Recorded decoding of one answer by an earlier version of its face.

    Attributes:
        schema: Kinds of move of the game.
        action: Move as a plain dictionary, with the message as received; None if there was an error.
        error: Error code and text, or None.
    """

    schema: ActionSchema
    action: dict[str, Any] | None
    error: Sequence[str] | None

    def decode(self, answer: Any, legal: Legal) -> Any:
        """Return the recorded typed move if it is legal, else an `Invalid`; the answer is ignored."""
        return self.schema.parse(self.action, legal) if self.error is None else Invalid(*self.error)


def recorded_answers(game: Game, options: Mapping[str, Any]) -> list[RecordedAnswer | None] | None:
    """Return the decoded answers in the options of a `reset`, in order; None: faces decode all answers.

    Raises:
        ValueError: Not a list of `RecordedAnswer` and None.
    """
    given = options.get("decoded")
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not all(one is None or isinstance(one, RecordedAnswer) for one in given):
        raise ValueError(
            f"{game.name}: options['decoded'] must be a list of RecordedAnswer or None, got {short_repr(given)}"
        )
    return list(given)


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
