"""Parts of a player from the options of its spec: ``persona=David&memory=window(3)&reasoning=cot``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from econzoo.baselines.parts.memory import Full, Memory, Retrieve, Summary, Table, Window
from econzoo.baselines.parts.persona import Persona, PersonaChoice, parse_choice
from econzoo.baselines.parts.reasoning import MAX_ATTEMPTS, Author, AuthorFromScratch, ChainOfThought, Direct, Explain
from econzoo.baselines.parts.reasoning import KLevel, PredictThenAct, Reasoning, Refine, Reflect, SoloPerformance
from econzoo.baselines.parts.reasoning import objective
from econzoo.baselines.parts.tools import MAX_TOOL_CALLS, TOOLS, Tool
from econzoo.envs.core.faces import Prompts, load_templates

PACKAGE = "econzoo.baselines.parts"

THOUGHT = 512
"""Default token limit of a thought."""


def own_texts(own: Mapping[str, str] | str | None = None) -> Prompts:
    """Load the texts of the parts for the model, with the user's replacements."""
    return load_templates(PACKAGE, own)


@dataclass(frozen=True)
class Parts:
    """Parts of a player besides its model. The defaults are a plain player.

    Attributes:
        persona: Persona; a `PersonaChoice` if it depends on the seat.
        memory: Memory.
        reasoning: Method of reasoning.
        tools: Available tools.
        tool_calls: Maximum tool calls per turn, >= 1.
        thought_tokens: Token limit of a thought; None: the model's own limit, else `THOUGHT`.
        simulation_tokens: Token limit of a reply in another seat's place; None: as for its own.
        texts: Texts of the parts for the model.
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
    """A part with a name.

    Attributes:
        numbers: Smallest and largest number; None: no number.
        default: Default number; None: required.
    """

    make: Callable[..., Any]
    numbers: tuple[int, int] | None = None
    default: int | None = None

    def usage(self, name: str) -> str:
        """Format its usage, such as ``window(0 to 1000)``."""
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
    """Parse a part such as ``cot`` or ``window(3)``."""
    match = _PART_PATTERN.match(text.strip())
    part = table.get(match[1]) if match else None
    if match is not None and part is not None:
        number = part.default if match[2] is None else int(match[2])
        if part.numbers is None and match[2] is None:
            return part.make()
        if part.numbers and number is not None and part.numbers[0] <= number <= part.numbers[1]:
            return part.make(number)
    raise ValueError(f"invalid value {text!r}: expected {', '.join(one.usage(name) for name, one in table.items())}")


def find_tools(text: str) -> tuple[Tool, ...]:
    """Parse a comma-separated list of tools."""
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in TOOLS]
    if unknown:
        raise ValueError(f"unknown tool {unknown[0]!r}: expected a comma-separated list of {', '.join(TOOLS)}")
    return tuple(TOOLS[name] for name in dict.fromkeys(names))


def parse_positive_integer(text: str, most: int = 1_000_000) -> int:
    """Parse an integer from 1 to a maximum."""
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"invalid value {text!r}: expected an integer from 1 to {most:,}")
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
"""Names of the options for parts."""


def parts_of(spec: str, given: Mapping[str, str]) -> Parts:
    """Create the parts from the options of a spec, ignoring other options."""
    out = {}
    for name in OPTIONS:
        if name in given:
            try:
                out[name] = _PARSERS[name](given[name])
            except ValueError as error:
                text = str(error)
                raise ValueError(f"player {spec!r}: {text if text.startswith(name) else f'{name}: {text}'}") from None
    aim = out.pop("objective", None)
    if aim is not None and not isinstance(out.get("reasoning"), Author):
        raise ValueError(f"player {spec!r}: objective requires reasoning=author")
    if aim is not None:
        author = out["reasoning"]
        # Options come in any order, so the aim is set once the method is known.
        out["reasoning"] = type(author)(author.attempts, aim)
    return Parts(**out)
