"""Personas: profession, personality and background in the prompt of a model.

The five residents of ALYMPICS (arXiv:2311.03220, section 4.1) come with the package, as data of water allocation.
Custom ones are in a YAML (or TOML) file, one or several:

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

from econzoo.envs.core import parse_yaml, read_text, reason
from econzoo.envs.core.contract import load_package_toml, parse_toml, short_repr
from econzoo.envs.core.faces import Prompts

SHIPPED = ("econzoo.envs.games.water_allocation", "personas.toml")
"""Package and file of the built-in personas."""

SEAT = "seat"
"""Choice of the persona with the name of the seat's role."""

FIELDS = ("profession", "personality", "background")


class Persona(NamedTuple):
    """A persona.

    Attributes:
        name: Name in the file; the prompt uses the name of the role.
        profession: Completes "You are ...", e.g. ``"a mathematician"``.
        personality: Sentences.
        background: Sentences.
    """

    name: str
    profession: str
    personality: str
    background: str

    def describe(self, texts: Prompts) -> str:
        """Return the text of the persona for the model."""
        return texts["brief.persona"].format_map(self._asdict())


class PersonaChoice(NamedTuple):
    """A choice of persona by name, or of that of the seat's role (`SEAT`); `source` is the file, for errors."""

    personas: Mapping[str, Persona]
    name: str
    source: str

    def resolve(self, role: str) -> Persona:
        name = role if self.name == SEAT else self.name
        if name not in self.personas:
            raise ValueError(f"no persona {name!r} in {self.source}: expected {', '.join(self.personas)} or {SEAT}")
        return self.personas[name]


def parse_choice(text: str) -> PersonaChoice:
    """Parse ``David``, ``seat``, ``FILE.yaml`` or ``FILE.yaml:NAME``."""
    file, name = _split_choice(text)
    if file is None:
        return _check_choice(PersonaChoice(shipped_personas(), name, "the built-in personas"))
    known = load_personas(file)
    if not name and len(known) > 1:
        raise ValueError(f"{file} has several personas: expected {file}:NAME with {', '.join(known)} or {SEAT}")
    return _check_choice(PersonaChoice(known, name or next(iter(known)), str(file)))


def _split_choice(text: str) -> tuple[Path | None, str]:
    """Split a choice into its file, if any, and the name."""
    for end in (".yaml", ".yml", ".toml"):
        head, suffix, tail = text.partition(end)
        if suffix and (not tail or tail.startswith(":")):
            return Path(head + end), tail[1:]
    return None, text


def _check_choice(choice: PersonaChoice) -> PersonaChoice:
    # A role is known only in a match.
    if choice.name != SEAT:
        choice.resolve("")
    return choice


@lru_cache(maxsize=1)
def shipped_personas() -> Mapping[str, Persona]:
    """Return the built-in personas by name."""
    package, name = SHIPPED
    return parse_personas(load_package_toml(package, name), name)


def load_personas(path: str | Path) -> Mapping[str, Persona]:
    """Load the personas of a YAML or TOML file by name."""
    path = Path(path)
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise ValueError(f"persona file {str(path)!r} cannot be read: {reason(error)}") from None
    if path.suffix != ".toml":
        return parse_personas(parse_yaml(text, f"persona file {str(path)!r}"), str(path))
    try:
        tables = parse_toml(text)
    except ValueError as error:
        raise ValueError(f"persona file {str(path)!r} is not valid TOML: {error}") from None
    return parse_personas(tables, str(path))


def parse_personas(given: Any, where: str) -> Mapping[str, Persona]:
    """Parse personas from one table per name, or from the fields of one persona with its ``name``."""
    if isinstance(given, Mapping) and "name" in given:
        if not isinstance(given["name"], str):
            raise ValueError(f"persona file {where!r}: name must be text; got {short_repr(given['name'])}")
        given = {given["name"]: {key: value for key, value in given.items() if key != "name"}}
    if not isinstance(given, Mapping) or not given:
        expected = f"names, each with {', '.join(FIELDS)}"
        raise ValueError(f"persona file {where!r} has no personas: expected {expected}")
    return {str(name): _persona(str(name), fields, where) for name, fields in given.items()}


def _persona(name: str, fields: Any, where: str) -> Persona:
    known = fields if isinstance(fields, Mapping) else {}
    missing = [field for field in FIELDS if known.get(field) in (None, "")]
    if missing:
        expected = f"expected {', '.join(FIELDS)}"
        raise ValueError(f"persona file {where!r}: {short_repr(name)} lacks {', '.join(missing)}: {expected}")
    for field, value in known.items():
        if field not in FIELDS:
            raise ValueError(
                f"persona file {where!r}: {short_repr(name)}: unknown field {short_repr(field)}: "
                f"expected {', '.join(FIELDS)}"
            )
        if not isinstance(value, str) or not value.strip():
            raise ValueError(
                f"persona file {where!r}: {short_repr(name)}, {field} must be text; got {short_repr(value)}"
            )
    return Persona(name, *(" ".join(known[field].split()) for field in FIELDS))
