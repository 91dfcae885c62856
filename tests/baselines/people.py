"""People at a terminal, for tests: fingers that type, and the screens that they see."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from econzoo.baselines.human import HumanPlayer
from econzoo.baselines.terminal import Terminal
from econzoo.envs.core.faces import SHARED_TEXTS

BOUNDS = re.compile(r"from (\S+) to ([\d,.e+-]+)\) > $")
MENU = re.compile(r"(\d+)\) (\S.*?)   ")
HEADER = re.compile(r"^\[(.+)\]$", re.MULTILINE)


def told(name: str, **fields: object) -> str:
    """What a person reads at a terminal under a name of the shared texts."""
    return SHARED_TEXTS[f"person.{name}"].format(**fields)


HANDING = told("pass", who="\n").partition("\n")[0]
"""Begins a screen that has nothing else, between those of two people."""

NONSENSE = "er, what?"
"""No move of any game; harmless as words."""

Typed = Callable[[str], str]


class Screens:
    """A terminal whose screens are kept: ``screens[-1]`` is what can be seen or scrolled back to now.

    Args:
        typed: Gets the screen as it is, which ends with a question, and types a line.
    """

    def __init__(self, typed: Typed) -> None:
        self.typed, self.screens = typed, [""]
        self.terminal = Terminal(self.ask, self.tell, lambda: self.screens.append(""))

    def human(self, name: str = "") -> HumanPlayer:
        """A person at it."""
        return HumanPlayer(f"human({name!r})" if name else "human", name, terminal=self.terminal)

    def ask(self, prompt: str) -> str:
        self.screens[-1] += prompt
        line = self.typed(self.screens[-1])
        self.screens[-1] += f"{line}\n"
        return line

    def tell(self, text: str) -> None:
        self.screens[-1] += text + "\n"

    @property
    def shown(self) -> str:
        """Everything that was ever shown."""
        return "".join(self.screens)


def lines(*typed: str) -> Typed:
    """Types these lines, then nothing more."""
    left = iter(typed)

    def type_next(screen: str) -> str:
        line = next(left, None)
        if line is None:
            raise EOFError
        return line

    return type_next


class Fingers:
    """Types something legal at every question of any game: a function of what is asked there and of a seed.

    Args:
        seed: Of what is typed.
        pauses: At which questions, counted from 0, ``pause`` is typed; then they are asked again.
    """

    def __init__(self, seed: int, pauses: tuple[int, ...] = ()) -> None:
        self.seed, self.asked, self.pauses = seed, 0, pauses

    def __call__(self, screen: str) -> str:
        self.asked += 1
        if self.asked - 1 in self.pauses:
            return "pause"
        if screen.rpartition("\n")[2].startswith((HANDING, told("was_read"))):
            return ""
        read = screen[max(found.start() for found in HEADER.finditer(screen)) :]
        return answer(read, np.random.default_rng([self.seed, *read.encode()]))


def answer(read: str, rng: np.random.Generator) -> str:
    """A legal answer to the question at the end of a text."""
    prompt = read.rpartition("\n")[2]
    if menu := MENU.findall(prompt):
        return kind_typed(menu, rng)
    if prompt.startswith("Your program"):
        if "exactly 5 parameters" in read:
            return f"def strategy_function(a, b, c, d, e): return {str(rng.choice(['UP', 'LEFT']))!r}"
        return f"def strategy_function(a, b, c, d): return {str(rng.choice(['C', 'D']))!r}"
    if prompt == "... ":
        return "."
    if prompt.startswith("Your message"):
        return str(rng.choice(["", "Fine?"]))
    bounds = BOUNDS.search(prompt)
    low, high = (float(bound.replace(",", "")) for bound in (bounds.groups() if bounds else ("0", "200")))
    drawn = low + (high - low) * float(rng.random())
    if "whole number" in prompt:
        return str(round(drawn))
    amount = min(max(round(drawn, 3), low), high)
    return str(rng.choice([str(amount), f"${amount}", f"{amount:,}"]))


def kind_typed(menu: list[tuple[str, str]], rng: np.random.Generator) -> str:
    """One of the moves of a menu as people type them: its number, its name or the beginning of it, in any case."""
    place, name = menu[int(rng.integers(len(menu)))]
    others = [other.casefold() for _, other in menu if other != name]
    begun = next(name[:n] for n in range(1, len(name) + 1) if name[:n].casefold() not in [o[:n] for o in others])
    return str(rng.choice([place, name, name.upper(), begun, begun.lower()]))


class Clumsy:
    """Types nonsense at the first question of each form, and then what somebody else would have typed.

    Args:
        typed: The other.
    """

    def __init__(self, typed: Typed) -> None:
        self.typed, self.known = typed, set[str]()

    def __call__(self, screen: str) -> str:
        asked = screen.rpartition("\n")[2]
        form = " ".join(asked.split()[:2])
        if form in self.known or asked.startswith((HANDING, told("was_read"), "...")):
            return self.typed(screen)
        self.known.add(form)
        return NONSENSE
