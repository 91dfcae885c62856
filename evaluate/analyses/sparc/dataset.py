"""The strategies of SPARC (Sistla and Kleiman-Weiner 2025, Table 1), counted as the paper's public code counts."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from statistics import fmean

from econzoo.envs.games.code_reading.items import Item, items, set_members
from econzoo.envs.games.code_reading.programs.axelrod_source import Library, Module, Place
from econzoo.envs.games.code_reading.programs.facts import count_lines
from econzoo.evaluate.analyses.paper_numbers import OwnNumber

STOCHASTIC_BY_HAND = {
    "NMWEDeterministic": False,
    "NMWEFiniteMemory": True,
    "NMWELongMemory": True,
    "NMWEMemoryOne": True,
    "NMWEStochastic": True,
}
"""Strategy to whether the paper's code takes it for stochastic without reading it."""

IMPORTS = 12
"""Lines before the classes in the paper's files, by the least and the most that it prints."""


def lineage(library: Library, place: Place, through_transformers: bool = True) -> list[Place]:
    """A strategy behind the classes that it inherits from, those of the engine left out.

    Args:
        library: The files.
        place: Module and name of the strategy.
        through_transformers: Whether parents are followed through ``Name = Transformer()(Class)``; else such a parent
            has none,
            and such a strategy is the class alone.
    """
    module = library.module(place.module)
    node = module.definitions[place.name]
    if isinstance(node, ast.ClassDef):
        homes = [_find_home(library, module, one) for one in node.bases]
        return list(
            dict.fromkeys(
                [*(up for one in homes if one for up in _ancestors(library, one, through_transformers)), place]
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
    there = Place(module.name, base.id) if base.id in module.definitions else module.imports.get(base.id)
    return there and library.find_definition(there)


def _transformed_class(node: ast.stmt) -> ast.expr | None:
    value = node.value if isinstance(node, ast.Assign) else None
    return value.args[0] if isinstance(value, ast.Call) else value


def is_stochastic(library: Library, item: Item) -> bool:
    """What the first dictionary ``classifier`` says, parents before the class, or what was written by hand."""
    if item.name in STOCHASTIC_BY_HAND:
        return STOCHASTIC_BY_HAND[item.name]
    told = (
        one for place in lineage(library, Place(item.module, item.name)) for one in _classifier_values(library, place)
    )
    return next(told, False)


def _classifier_values(library: Library, place: Place) -> Iterator[bool]:
    for node in getattr(library.module(place.module).definitions[place.name], "body", []):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and _names(node) == ["classifier"]:
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "stochastic" and isinstance(value, ast.Constant):
                    yield bool(value.value)


def _names(node: ast.Assign) -> list[str]:
    return [one.id for one in node.targets if isinstance(one, ast.Name)]


def lines_of(library: Library, item: Item) -> int:
    """Lines of a strategy and its parents that are neither blank nor a comment."""
    places = lineage(library, Place(item.module, item.name), through_transformers=False)
    found = [(library.module(one.module), one.name) for one in places]
    return sum(count_lines(module.text(module.definitions[name])) for module, name in found)


def compute_numbers(library: Library) -> list[OwnNumber]:
    """The numbers of Table 1, of the items of `code_reading`.

    Args:
        library: An Axelrod library that has them all.
    """
    found = [items()[number] for number in set_members("all")]
    drawn = [is_stochastic(library, one) for one in found]
    lengths = [lines_of(library, one) + IMPORTS for one in found]
    return [
        OwnNumber("strategies", "all", len(drawn)),
        OwnNumber("strategies", "stochastic", sum(drawn)),
        OwnNumber("strategies", "deterministic", len(drawn) - sum(drawn)),
        OwnNumber("lines", "least", min(lengths)),
        OwnNumber("lines", "most", max(lengths)),
        OwnNumber("lines", "mean", fmean(lengths)),
    ]
