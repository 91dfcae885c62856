"""Who a player is: profession, personality and background, told to the model with the rules.

The five residents of ALYMPICS (arXiv:2311.03220, section 4.1) come with the package, as data of the game that first
had them. Own ones stand in a YAML (or TOML) file, one or several:

    Frida:
      profession: a fisherwoman
      personality: You are patient and say little.
      background: You have lived on the coast all your life.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from econzoo.envs.core.contract.validation import load_package_toml, parse_toml, short_repr
from econzoo.envs.core.faces.prompts import Prompts
from econzoo.envs.core.files import read_text, reason
from econzoo.envs.core.record.yaml_text import parse_yaml

SHIPPED = ("econzoo.envs.games.water_allocation", "personas.toml")
"""Package and file of the personas that come with it."""

SEAT = "seat"
"""Instead of a name: the persona that is named like the role of the seat."""

FIELDS = ("profession", "personality", "background")


class Persona(NamedTuple):
    """Who a player is.

    Attributes:
        name: What it is called in the file; the model knows itself by the name of its role.
        profession: Completes "You are ...", e.g. ``"a mathematician"``.
        personality: Sentences.
        background: Sentences.
    """

    name: str
    profession: str
    personality: str
    background: str

    def describe(self, texts: Prompts) -> str:
        """The persona as the model reads it."""
        return texts["brief.persona"].format_map(self._asdict())


class PersonaChoice(NamedTuple):
    """A persona still to be chosen, when the seat is known.

    Attributes:
        personas: Personas by name.
        name: Which one; `SEAT`: that of the role.
        source: The file they come from, for messages.
    """

    personas: Mapping[str, Persona]
    name: str
    source: str

    def resolve(self, role: str) -> Persona:
        """The persona of somebody with this role.

        Raises:
            ValueError: There is no persona of that name.
        """
        name = role if self.name == SEAT else self.name
        if name not in self.personas:
            raise ValueError(f"persona {name!r} is not in {self.source}; allowed: {', '.join(self.personas)}, {SEAT}")
        return self.personas[name]


def parse_choice(text: str) -> PersonaChoice:
    """The choice that ``David``, ``seat``, ``FILE.yaml`` or ``FILE.yaml:NAME`` stands for.

    Raises:
        ValueError: There is no such persona, or the file is not one of personas; the message says what is missing.
    """
    file, name = _split_choice(text)
    if file is None:
        return _check_choice(PersonaChoice(shipped_personas(), name, "the personas that come with econzoo"))
    known = load_personas(file)
    if not name and len(known) > 1:
        raise ValueError(f"{file} has several personas; choose one as {file}:NAME from {', '.join(known)}, {SEAT}")
    return _check_choice(PersonaChoice(known, name or next(iter(known)), str(file)))


def _split_choice(text: str) -> tuple[Path | None, str]:
    """The file of a choice, if there is one, and the name."""
    for end in (".yaml", ".yml", ".toml"):
        before, found, after = text.partition(end)
        if found and (not after or after.startswith(":")):
            return Path(before + end), after[1:]
    return None, text


def _check_choice(choice: PersonaChoice) -> PersonaChoice:
    if choice.name != SEAT:
        choice.resolve("")
    return choice


@lru_cache(maxsize=1)
def shipped_personas() -> Mapping[str, Persona]:
    """The personas that come with the package, by name."""
    package, name = SHIPPED
    return parse_personas(load_package_toml(package, name), name)


def load_personas(path: str | Path) -> Mapping[str, Persona]:
    """The personas of a YAML or TOML file, by name.

    Raises:
        ValueError: The file cannot be read, or a persona lacks a field or has one that is not known.
    """
    path = Path(path)
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"persona file {str(path)!r} cannot be read: {reason(error)}") from None
    if path.suffix != ".toml":
        return parse_personas(parse_yaml(text, f"persona file {str(path)!r}"), str(path))
    try:
        given = parse_toml(text)
    except ValueError as error:
        raise ValueError(f"persona file {str(path)!r} is not TOML: {error}") from None
    return parse_personas(given, str(path))


def parse_personas(given: Any, where: str) -> Mapping[str, Persona]:
    """Personas from the tables of a file: one table for each name, or the fields of one persona with its ``name``.

    Args:
        given: What was read.
        where: Names the file in messages.

    Raises:
        ValueError: A field is missing, empty, no text or not known; or there is no persona at all.
    """
    if isinstance(given, Mapping) and "name" in given:
        if not isinstance(given["name"], str):
            raise ValueError(f"persona file {where!r}: name must be text; got {short_repr(given['name'])}")
        given = {given["name"]: {key: value for key, value in given.items() if key != "name"}}
    if not isinstance(given, Mapping) or not given:
        needed = f"names, and below each {', '.join(FIELDS)}"
        raise ValueError(f"persona file {where!r} has no personas; needed: {needed}")
    return {str(name): _persona(str(name), fields, where) for name, fields in given.items()}


def _persona(name: str, fields: Any, where: str) -> Persona:
    known = fields if isinstance(fields, Mapping) else {}
    missing = [field for field in FIELDS if known.get(field) in (None, "")]
    if missing:
        needed = f"needed: {', '.join(FIELDS)}"
        raise ValueError(f"persona file {where!r}: {short_repr(name)} lacks {', '.join(missing)}; {needed}")
    for field, value in known.items():
        if field not in FIELDS:
            raise ValueError(
                f"persona file {where!r}: {short_repr(name)} has {short_repr(field)}; allowed: {', '.join(FIELDS)}"
            )
        if not isinstance(value, str) or not value.strip():
            raise ValueError(
                f"persona file {where!r}: {short_repr(name)}, {field} must be text; got {short_repr(value)}"
            )
    return Persona(name, *(" ".join(known[field].split()) for field in FIELDS))
