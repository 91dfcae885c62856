"""One way to say an option, for whatever takes some: an environment, a training, a command. It knows no game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, get_type_hints

from econzoo.envs.core.contract.parameters import Domain, checked

__all__ = ["Option", "check_options", "options_in"]


@dataclass(frozen=True)
class Option:
    """What is to be known of an option besides name, type and default, which its annotation stands beside.

    Attributes:
        domain: The values that are allowed; None: that depends on the game, and is checked when this is known.
        meaning: One sentence, the subject first, without the values that are allowed: its domain says these.
        recorded: Whether it matters for what happens in a match: then records keep it where it is set, and so do ids.
        before: Of one that came in when there were records already: the value that all matches had before, which stays
            out of records and ids, whatever the default is or will be. None: it was there from the start.
        panel: Heading in the help of a command.
        default: The default in words, where no one value says it.
        positional: Whether a command takes it by its place.
        letter: Its short form, such as ``"-p"``.
    """

    domain: Domain[Any] | None = None
    meaning: str = ""
    recorded: bool = False
    before: Any = None
    panel: str = ""
    default: str = ""
    positional: bool = False
    letter: str = ""


def options_in(kind: Any) -> dict[str, Option]:
    """The options that a class declares in the annotations of its fields, by name."""
    marks = (
        (name, getattr(hint, "__metadata__", ())) for name, hint in get_type_hints(kind, include_extras=True).items()
    )
    return {name: mark for name, found in marks for mark in found if isinstance(mark, Option)}


def check_options(owner: Any) -> None:
    """Puts the fields of an object into their plain form.

    Raises:
        ValueError: Names the first that is not allowed, its value and what is.
    """
    for name, option in options_in(type(owner)).items():
        if option.domain is not None:
            setattr(owner, name, checked(name, getattr(owner, name), option.domain))
