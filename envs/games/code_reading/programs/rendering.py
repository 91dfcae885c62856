"""The text of an item: one strategy, complete, in four variants.

``plain``: as the library has it, with everything it needs before it. ``stripped``: without comments and docstrings.
``masked``: stripped, and no strategy has its name. ``obfuscated``: masked, and every name of its own means nothing.
Each variant is a program that runs and plays the same. The last three are made by changes of the syntax tree.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from econzoo.envs.games.code_reading import VARIANTS
from econzoo.envs.games.code_reading.programs.closure import Closure, closure
from econzoo.envs.games.code_reading.programs.data_tables import LOADERS, loader_of, written_out
from econzoo.envs.games.code_reading.programs.installed import Library, Place, library, parsed
from econzoo.envs.games.code_reading.programs.masking import masked
from econzoo.envs.games.code_reading.programs.obfuscation import obfuscated
from econzoo.envs.games.code_reading.programs.stripping import stripped


def program(strategy: Place, variant: str = "plain", source: Library | None = None) -> str:
    """The text of a strategy.

    Args:
        strategy: Its module and class.
        variant: One of `VARIANTS`.
        source: The library's files; None: those installed.

    Raises:
        ImportError: The library is not installed.
        ValueError: It has no such strategy, or there is no such variant.
    """
    if variant not in VARIANTS:
        raise ValueError(f"variant={variant!r} is not allowed; allowed: {', '.join(VARIANTS)}")
    return _program(strategy, variant, library() if source is None else source)


@lru_cache(maxsize=2048)
def _program(strategy: Place, variant: str, source: Library) -> str:
    if variant == "plain":
        return plain(source, closure(source, strategy))
    before = VARIANTS[VARIANTS.index(variant) - 1]
    change = {"stripped": stripped, "masked": masked, "obfuscated": obfuscated}[variant]
    tree = change(parsed(_program(strategy, before, source)), source)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def plain(source: Library, parts: Closure) -> str:
    """Imports, then every piece as it stands in its file."""
    texts = [
        written_out(source, parts, piece.node) if loader_of(piece.node) else piece.module.text(piece.node)
        for piece in parts.pieces
    ]
    return "\n\n".join(["\n".join(import_lines(parts.imports)), *texts]) + "\n"


def import_lines(imports: dict[str, Place]) -> list[str]:
    """Import statements, whole modules first, one for each module."""
    needed = {name: place for name, place in imports.items() if place.name not in LOADERS}
    whole = [_aliased(place.module, name, "import ") for name, place in needed.items() if not place.name]
    froms: dict[str, list[str]] = {}
    for name, place in needed.items():
        if place.name:
            froms.setdefault(place.module, []).append(_aliased(place.name, name))
    return sorted(whole) + [
        f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(froms.items())
    ]


def _aliased(source: str, name: str, before: str = "") -> str:
    return before + (source if source == name else f"{source} as {name}")
