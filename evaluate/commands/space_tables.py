"""Tables of numeric observations and actions, for ``econzoo show`` and the site."""

from __future__ import annotations

from typing import NamedTuple

from econzoo.envs.core.contract import Kind, Number
from econzoo.envs.core.env import GameEnv
from econzoo.envs.core.faces import Ranges, grid_of, numeric_moves

ANY_VALUE = "-1 to 1"
"""Range of a feature whose name gives none."""


class Feature(NamedTuple):
    """One feature of an observation: its index, meaning and range."""

    number: int
    meaning: str
    values: str


class Actions(NamedTuple):
    """The actions of one kind of move.

    Attributes:
        amounts: Amounts that the indices stand for; empty for a kind with one index.
    """

    first: int
    last: int
    kind: str
    meaning: str
    amounts: str

    @property
    def numbers(self) -> str:
        """``7``, or ``0 to 100``."""
        return f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"

    @property
    def description(self) -> str:
        """Meaning and amounts."""
        return f"{self.meaning} {self.amounts}".strip()


def features_of(env: GameEnv) -> list[Feature]:
    """Features of a numeric observation, in order."""
    parts = [name.rpartition(": ") for name in env.game.feature_names(env.params)]
    texts = [(meaning, values) if meaning else (values, ANY_VALUE) for meaning, _, values in parts]
    return [Feature(number, *text) for number, text in enumerate(texts)]


def actions_of(env: GameEnv) -> list[Actions]:
    """Numeric actions, in order."""
    out: list[Actions] = []
    sizes = numeric_moves(env.actions, env.options.grid, len(env.possible_agents), no_op=False).sizes
    for kind in env.game.actions.kinds:
        first = out[-1].last + 1 if out else 0
        last = first + sizes[len(out)] - 1
        meaning = " ".join((kind.model.__doc__ or "").split())
        out.append(Actions(first, last, kind.name, meaning, _amounts(env, kind)))
    return out


def _amounts(env: GameEnv, kind: Kind) -> str:
    """Describe the amounts of a kind of move; with several, indices run over all combinations, the last one fastest."""
    if kind.source:
        return f"{', '.join(f'{number} {name}' for number, name in enumerate(kind.source.names()))}."
    index = env.actions.index[kind.name]
    names, texts = kind.slot_names(env.actions.group), []
    for name, mark in kind.numbers.items():
        slot = env.actions.first[index] + names.index(name)
        each = f", {names.count(name)} times" if name in kind.groups else ""
        texts.append(f"{name}: {mark.doc}; {_steps(env, mark, name, slot)}{each}.")
    return " ".join(texts)


def _steps(env: GameEnv, mark: Number, name: str, slot: int) -> str:
    """Describe the values of one amount."""
    if mark.is_discrete:
        steps = range(mark.steps(0, len(env.possible_agents)))
        return ", ".join(str(mark.from_number(mark.value_at(step, (0.0, 0.0), 0))) for step in steps)
    rounding = ", rounded to integers" if mark.is_integer else ""
    start = ", at the start of a match" if env.game.rules.span and not env.game.rules.public_span else ""
    return f"{grid_of(env.options.grid, name)} amounts {_spans(env, slot)}{rounding}{start}"


def _spans(env: GameEnv, slot: int) -> str:
    """Describe the range of amounts, by seat where it differs."""
    ranges = Ranges(env.options.grid_range, env.actions)
    usual = [ranges.legal(env.legal(agent)).grid_bounds[slot] for agent in env.possible_agents]
    spans = [f"from {low:,.12g} to {high:,.12g}" for low, high in usual]
    if len(set(spans)) == 1:
        return spans[0]
    return ", ".join(f"{span} ({role})" for role, span in zip(env.roles, spans, strict=True))
