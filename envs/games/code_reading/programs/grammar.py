"""Programs that no library has: strategies written by a grammar, each from its number alone.

Memory of the Axelrod library does not help to read them. Three kinds: rules in order, each with a condition about the
round, both histories or a counter; finite-state machines; tables by what both did last. Some use chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

GENERATED = "generated"
"""In the place of a module of the library."""

COUNT = 120
"""Generated items of the benchmark."""

PREFIX = "Generated"

LIKELY_PROBABILITY = 0.75
"""Probability that a program of rules ends with C, and that two conditions are joined by `and`."""

CLASS_TEMPLATE = """\
from axelrod.action import Action
from axelrod.player import Player

C, D = Action.C, Action.D


class {name}(Player):
    name = "{title}"
    classifier = {{
        "memory_depth": float("inf"),
        "stochastic": {stochastic},
        "long_run_time": False,
        "inspects_source": False,
        "manipulates_source": False,
        "manipulates_state": False,
    }}
"""


def names() -> list[str]:
    """Names of all generated items."""
    return [f"{PREFIX}{number}" for number in range(1, COUNT + 1)]


def source(name: str) -> str:
    """The text of a generated item.

    Args:
        name: One of `names`.

    Raises:
        ValueError: There is no such item.
    """
    if name not in names():
        raise ValueError(f"item={name!r} is not allowed; allowed: {PREFIX}1 to {PREFIX}{COUNT}")
    number = int(name.removeprefix(PREFIX))
    rng = np.random.default_rng([2512, 371, number])
    kind = (_rules, _machine, _table)[int(rng.choice(3, p=(0.5, 0.25, 0.25)))]
    lines, chance = kind(rng)
    head = CLASS_TEMPLATE.format(name=name, title=f"{PREFIX} {number}", stochastic=chance)
    return head + "\n" + "\n".join(f"    {line}" if line else "" for line in lines) + "\n"


GeneratedCode = tuple[list[str], bool]
"""Lines of a class, and whether it uses chance."""


def _rules(rng: np.random.Generator) -> GeneratedCode:
    """Conditions in order; the first that holds says the move."""
    start, by, step, ring = (int(rng.integers(*ends)) for ends in ((0, 5), (1, 4), (0, 4), (5, 12)))
    chance = rng.random() < 0.25
    lines = [
        "def __init__(self):",
        "    super().__init__()",
        f"    self.level = {start}",
        "",
        "def strategy(self, opponent):",
        "    played = len(self.history)",
        f"    self.level = (self.level * {by} + {step}) % {ring}",
    ]
    last = "C" if rng.random() < LIKELY_PROBABILITY else "D"
    for _ in range(int(rng.integers(2, 5))):
        condition = _condition(rng, ring)
        if rng.random() < 0.5:
            condition = f"{condition} {'and' if rng.random() < LIKELY_PROBABILITY else 'or'} {_condition(rng, ring)}"
        lines += [f"    if {condition}:", f"        return {'C' if rng.random() < 0.5 else 'D'}"]
    return [
        *lines,
        f"    return self._random.random_choice({_cooperation_probability(rng)})" if chance else f"    return {last}",
    ], chance


def _condition(rng: np.random.Generator, ring: int) -> str:
    few, many = int(rng.integers(1, 4)), int(rng.integers(4, 12))
    return str(
        rng.choice(
            [
                f"played % {many} == {int(rng.integers(0, many))}",
                f"played > {many}",
                f"played < {few}",
                f"opponent.defections > {few}",
                f"opponent.cooperations >= {many}",
                f"D in opponent.history[-{few}:]",
                f"opponent.history[-{few}:].count(C) == {few}",
                f"D in self.history[-{few}:]",
                f"self.defections >= {few}",
                f"self.cooperations - opponent.cooperations > {few}",
                f"self.level == {int(rng.integers(0, ring))}",
                f"self.level > {int(rng.integers(ring // 2, ring))}",
            ]
        )
    )


def _cooperation_probability(rng: np.random.Generator) -> float:
    """A probability of cooperation, mostly one with which ten of ten are neither sure nor hopeless."""
    return float(rng.choice([0.5, 0.8, 0.9, 0.95, 0.99]))


def _machine(rng: np.random.Generator) -> GeneratedCode:
    """A finite-state machine of 2 to 6 states, more often cooperative than not where the other is."""
    size = int(rng.integers(2, 7))
    rows = [
        f"        ({state}, {seen}): ({int(rng.integers(0, size))}, {_move(rng, 0.85 if seen == 'C' else 0.35)}),"
        for state, seen in product(range(size), "CD")
    ]
    return [
        "def __init__(self):",
        "    super().__init__()",
        f"    self.state = {int(rng.integers(0, size))}",
        "    self.moves = {",
        *rows,
        "    }",
        "",
        "def strategy(self, opponent):",
        "    if not self.history:",
        f"        return {_move(rng, 0.85)}",
        "    self.state, move = self.moves[self.state, opponent.history[-1]]",
        "    return move",
    ], False


def _table(rng: np.random.Generator) -> GeneratedCode:
    """A table by the last two moves of both, sometimes with chance."""
    chance = rng.random() < 0.3
    cells = list(_cells(rng, chance))
    move = "self._random.random_choice(self.kindness[seen])" if chance else "self.kindness[seen]"
    return [
        "kindness = {",
        *cells,
        "}",
        "",
        "def strategy(self, opponent):",
        "    if len(self.history) < 2:",
        f"        return {_move(rng, 0.85)}",
        '    seen = "".join(map(str, self.history[-2:] + opponent.history[-2:]))',
        f"    return {move}",
    ], chance


def _cells(rng: np.random.Generator, chance: bool) -> Iterator[str]:
    for seen in map("".join, product("CD", repeat=4)):
        kind = 0.7 if seen.endswith("CC") else 0.4
        yield f'    "{seen}": {float(rng.choice([0.2, 0.9, 0.97, 1.0])) if chance else _move(rng, kind)},'


def _move(rng: np.random.Generator, kind: float) -> str:
    return "C" if rng.random() < kind else "D"
