"""What answers mean: what their faces make of them, or what a record says was made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from econzoo.envs.core.contract.actions import ActionSchema, Legal
from econzoo.envs.core.contract.game import Game
from econzoo.envs.core.contract.validation import Invalid, short_repr
from econzoo.envs.core.faces.numeric_face import NumericFace
from econzoo.envs.core.faces.structured_face import Face

OUTSIDE_SPACE = "outside_space"
"""Code of an answer that is no action of the numeric space."""


class RecordedAnswer(NamedTuple):
    """What was made of an answer by a version of its face that is not here any more; decodes that answer only.

    Attributes:
        schema: The game's kinds of move.
        action: The move as a plain dictionary, its words as the others heard them; None if there was an error.
        error: Code and text of what was wrong with the answer, or None.
    """

    schema: ActionSchema
    action: dict[str, Any] | None
    error: Sequence[str] | None

    def decode(self, answer: Any, legal: Legal) -> Any:
        """The typed move, if the rules allow it; else an `Invalid`, be it the recorded one. The answer is not read."""
        return self.schema.parse(self.action, legal) if self.error is None else Invalid(*self.error)


def recorded_answers(game: Game, options: Mapping[str, Any]) -> list[RecordedAnswer | None] | None:
    """What the options of a `reset` say of the answers, in order; None: their faces decode them all.

    Raises:
        ValueError: It is no list of `RecordedAnswer` and None.
    """
    given = options.get("decoded")
    if given is None:
        return None
    if not isinstance(given, list | tuple) or not all(one is None or isinstance(one, RecordedAnswer) for one in given):
        raise ValueError(f"{game.name}: options['decoded'] must be a list of Decoded or None; got {short_repr(given)}")
    return list(given)


def space_error(face: Face, answer: Any, agent: str) -> Invalid | None:
    """Why a numeric action is not in its space: no slip of a player, but of who wrote the loop or the network.

    None if it is there, is no action at all (None), or the face is not numeric.
    """
    if not isinstance(face, NumericFace) or answer is None or face.contains(answer):
        return None
    told = f"action {short_repr(answer)} of {agent} is outside its space; allowed: {face.moves.allowed}"
    return Invalid(OUTSIDE_SPACE, told)
