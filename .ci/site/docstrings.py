"""How docstrings and signatures of this package read on the site."""

from __future__ import annotations

import re
from typing import Any

import griffe

SOURCES = re.compile(r"(?<=^Sources:\n)(?: {4}.*(?:\n|\Z))+", re.MULTILINE)


class House(griffe.Extension):
    """Takes `Annotated` off types (`grid: Annotated[Grid, Option()]` is a `Grid`), and makes lists of sources."""

    def on_function(self, *, func: griffe.Function, **kwargs: Any) -> None:
        """Called with every function that was read."""
        for parameter in func.parameters:
            parameter.annotation = bare(parameter.annotation)

    def on_attribute(self, *, attr: griffe.Attribute, **kwargs: Any) -> None:
        """Called with every attribute that was read."""
        attr.annotation = bare(attr.annotation)

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Called with everything that was read."""
        if obj.docstring:
            obj.docstring.value = with_list(obj.docstring.value)


def bare(annotation: str | griffe.Expr | None) -> str | griffe.Expr | None:
    """A type without what is `Annotated`."""
    if isinstance(annotation, griffe.ExprSubscript) and str(annotation.left).rpartition(".")[2] == "Annotated":
        inside = annotation.slice
        return inside.elements[0] if isinstance(inside, griffe.ExprTuple) else annotation
    return annotation


def with_list(docstring: str) -> str:
    """A docstring whose sources, a line each and what hangs below it, are a list in Markdown."""
    return SOURCES.sub(lambda found: re.sub(r"^ {4}(?! )", "    * ", found[0], flags=re.MULTILINE), docstring)
