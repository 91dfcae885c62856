"""Parts by name, as they stand behind the question mark of a spec: ``persona=David&memory=window(3)&reasoning=cot``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from econzoo.baselines.parts.memory import Full, Memory, Retrieve, Summary, Table, Window
from econzoo.baselines.parts.persona import Persona, PersonaChoice, parse_choice
from econzoo.baselines.parts.reasoning.author import MAX_ATTEMPTS, Author, AuthorFromScratch, objective
from econzoo.baselines.parts.reasoning.k_level import KLevel
from econzoo.baselines.parts.reasoning.request import Reasoning
from econzoo.baselines.parts.reasoning.thinking import (
    ChainOfThought,
    Direct,
    Explain,
    PredictThenAct,
    Refine,
    Reflect,
    SoloPerformance,
)
from econzoo.baselines.parts.tools import MAX_TOOL_CALLS, TOOLS, Tool
from econzoo.envs.core.faces.prompts import Prompts, load_templates

PACKAGE = "econzoo.baselines.parts"

THOUGHT = 512
"""Tokens of a thought, where nothing else is said."""


def own_texts(own: Mapping[str, str] | str | None = None) -> Prompts:
    """What the parts say to the model, with the user's own texts in their place.

    Raises:
        ValueError: See `econzoo.envs.core.faces.prompts.load_templates`.
    """
    return load_templates(PACKAGE, own)


@dataclass(frozen=True)
class Parts:
    """What a player is put together from, besides its model. The defaults are a plain player.

    Attributes:
        persona: Who it is; a `PersonaChoice` where that depends on the seat.
        memory: What it remembers.
        reasoning: How it gets to an answer.
        tools: What it may call.
        tool_calls: How often a turn, >= 1.
        thought_tokens: The most tokens of a reply that is a thought and no answer; None: the model's own limit, else
            `THOUGHT`.
        simulation_tokens: The most tokens of a reply in the place of another seat; None: as of an own one.
        texts: What the parts say to the model.
    """

    persona: Persona | PersonaChoice | None = None
    memory: Memory = field(default_factory=Full)
    reasoning: Reasoning = field(default_factory=Direct)
    tools: Sequence[Tool] = ()
    tool_calls: int = MAX_TOOL_CALLS
    thought_tokens: int | None = None
    simulation_tokens: int | None = None
    texts: Prompts = field(default_factory=own_texts)


@dataclass(frozen=True)
class NamedPart:
    """A part that can be named.

    Attributes:
        make: Makes it, from its number if it takes one.
        numbers: Smallest and largest number; None: it takes none.
        default: The number where none is given; None: one has to be given.
    """

    make: Callable[..., Any]
    numbers: tuple[int, int] | None = None
    default: int | None = None

    def usage(self, name: str) -> str:
        """How it is written, e.g. ``window(0 to 1000)``."""
        return f"{name}({self.numbers[0]} to {self.numbers[1]})" if self.numbers else name


MEMORIES: Mapping[str, NamedPart] = {
    "full": NamedPart(Full),
    "window": NamedPart(Window, (0, 1000)),
    "summary": NamedPart(Summary),
    "table": NamedPart(Table),
    "retrieve": NamedPart(Retrieve, (0, 1000), 1),
}

REASONING: Mapping[str, NamedPart] = {
    "direct": NamedPart(Direct),
    "explain": NamedPart(Explain),
    "cot": NamedPart(ChainOfThought),
    "reflect": NamedPart(Reflect),
    "refine": NamedPart(Refine, (1, 10), 2),
    "predict": NamedPart(PredictThenAct),
    "solo": NamedPart(SoloPerformance, (2, 10), 3),
    "k-level": NamedPart(KLevel, (1, 5), 1),
    "author": NamedPart(Author, (1, MAX_ATTEMPTS), 5),
    "author-anew": NamedPart(AuthorFromScratch, (1, MAX_ATTEMPTS), 5),
}

_PART_PATTERN = re.compile(r"^([a-z][a-z-]*)(?:\((\d{1,6})\))?$")


def find_part(table: Mapping[str, NamedPart], text: str) -> Any:
    """The part of a name such as ``cot`` or ``window(3)``.

    Raises:
        ValueError: There is none of that name, or its number is not allowed; the message lists what is.
    """
    written = _PART_PATTERN.match(text.strip())
    found = table.get(written[1]) if written else None
    if written is not None and found is not None:
        number = found.default if written[2] is None else int(written[2])
        if found.numbers is None and written[2] is None:
            return found.make()
        if found.numbers and number is not None and found.numbers[0] <= number <= found.numbers[1]:
            return found.make(number)
    raise ValueError(f"{text!r}; allowed: {', '.join(part.usage(name) for name, part in table.items())}")


def find_tools(text: str) -> tuple[Tool, ...]:
    """The tools of names with commas between.

    Raises:
        ValueError: There is none of a name.
    """
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in TOOLS]
    if unknown:
        raise ValueError(f"{unknown[0]!r}; allowed: {', '.join(TOOLS)}, with commas between")
    return tuple(TOOLS[name] for name in dict.fromkeys(names))


def parse_positive_integer(text: str, most: int = 1_000_000) -> int:
    """A whole number from 1 up.

    Raises:
        ValueError: It is none, or too large.
    """
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"{text!r}; allowed: a whole number from 1 to {most:,}")
    return int(text)


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "persona": parse_choice,
    "memory": lambda text: find_part(MEMORIES, text),
    "reasoning": lambda text: find_part(REASONING, text),
    "tools": find_tools,
    "tool_calls": lambda text: parse_positive_integer(text, 20),
    "thought_tokens": parse_positive_integer,
    "simulation_tokens": parse_positive_integer,
    "texts": own_texts,
    "objective": objective,
}

OPTIONS = tuple(_PARSERS)
"""Names of the options of a spec that name parts."""


def parts_of(spec: str, given: Mapping[str, str]) -> Parts:
    """The parts that the options of a spec name; other options are left alone.

    Raises:
        ValueError: A value is not allowed; the message is one line and says what is.
    """
    out = {}
    for name in OPTIONS:
        if name in given:
            try:
                out[name] = _PARSERS[name](given[name])
            except ValueError as error:
                said = str(error)
                raise ValueError(f"player {spec!r}: {said if said.startswith(name) else f'{name}: {said}'}") from None
    aim = out.pop("objective", None)
    if aim is not None and not isinstance(out.get("reasoning"), Author):
        raise ValueError(f"player {spec!r}: objective: only an author has one; allowed: with reasoning=author")
    if aim is not None:
        author = out["reasoning"]
        out["reasoning"] = type(author)(author.attempts, aim)
    return Parts(**out)
