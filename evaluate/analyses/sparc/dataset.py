"""The strategies of SPARC (Sistla and Kleiman-Weiner 2025, Table 1), counted as in the paper's public code."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from statistics import fmean

from econzoo.envs.games.code_reading.items import Item, items, set_members
from econzoo.envs.games.code_reading.programs.axelrod_source import Library, Module, Place
from econzoo.envs.games.code_reading.programs.facts import count_lines
from econzoo.evaluate.analyses import OwnNumber

STOCHASTIC_BY_HAND = {
    "NMWEDeterministic": False,
    "NMWEFiniteMemory": True,
    "NMWELongMemory": True,
    "NMWEMemoryOne": True,
    "NMWEStochastic": True,
}
"""Strategies whose stochasticity is hard-coded in the paper's code."""

IMPORTS = 12
"""Import lines in the paper's files, inferred from its printed minimum and maximum."""


def lineage(library: Library, place: Place, through_transformers: bool = True) -> list[Place]:
    """Return a strategy preceded by its base classes, without those of the engine.

    Args:
        through_transformers: Whether to follow bases through ``Name = Transformer()(Class)``; else such a base has no
            bases, and such a strategy is the class alone.
    """
    module = library.module(place.module)
    node = module.definitions[place.name]
    if isinstance(node, ast.ClassDef):
        bases = [_find_home(library, module, one) for one in node.bases]
        # A base that several classes share comes once, where it is needed first.
        return list(
            dict.fromkeys(
                [*(base for one in bases if one for base in _ancestors(library, one, through_transformers)), place]
            )
        )
    inner = _find_home(library, module, _transformed_class(node))
    return [] if inner is None else lineage(library, inner) if through_transformers else [inner]


def _ancestors(library: Library, place: Place, transformed: bool) -> list[Place]:
    node = library.module(place.module).definitions[place.name]
    return lineage(library, place, transformed) if transformed or isinstance(node, ast.ClassDef) else []


def _find_home(library: Library, module: Module, base: ast.expr | None) -> Place | None:
    if not isinstance(base, ast.Name):
        return None
    found = Place(module.name, base.id) if base.id in module.definitions else module.imports.get(base.id)
    return found and library.find_definition(found)


def _transformed_class(node: ast.stmt) -> ast.expr | None:
    value = node.value if isinstance(node, ast.Assign) else None
    return value.args[0] if isinstance(value, ast.Call) else value


def is_stochastic(library: Library, item: Item) -> bool:
    """Whether the first ``classifier`` dictionary, bases first, or the hard-coded list says stochastic."""
    if item.name in STOCHASTIC_BY_HAND:
        return STOCHASTIC_BY_HAND[item.name]
    values = (
        one for place in lineage(library, Place(item.module, item.name)) for one in _classifier_values(library, place)
    )
    return next(values, False)


def _classifier_values(library: Library, place: Place) -> Iterator[bool]:
    for node in getattr(library.module(place.module).definitions[place.name], "body", []):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and _names(node) == ["classifier"]:
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "stochastic" and isinstance(value, ast.Constant):
                    yield bool(value.value)


def _names(node: ast.Assign) -> list[str]:
    return [one.id for one in node.targets if isinstance(one, ast.Name)]


def lines_of(library: Library, item: Item) -> int:
    """Return the lines of a strategy and its bases that are neither blank nor comments."""
    # Stochasticity follows transformers and lines do not: so the counts of Table 1 come out as printed.
    places = lineage(library, Place(item.module, item.name), through_transformers=False)
    found = [(library.module(one.module), one.name) for one in places]
    return sum(count_lines(module.text(module.definitions[name])) for module, name in found)


def compute_numbers(library: Library) -> list[OwnNumber]:
    """Compute the numbers of Table 1 for the items of `code_reading`."""
    found = [items()[number] for number in set_members("all")]
    stochastic = [is_stochastic(library, one) for one in found]
    lengths = [lines_of(library, one) + IMPORTS for one in found]
    return [
        OwnNumber("strategies", "all", len(stochastic)),
        OwnNumber("strategies", "stochastic", sum(stochastic)),
        OwnNumber("strategies", "deterministic", len(stochastic) - sum(stochastic)),
        OwnNumber("lines", "least", min(lengths)),
        OwnNumber("lines", "most", max(lengths)),
        OwnNumber("lines", "mean", fmean(lengths)),
    ]
