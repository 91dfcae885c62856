"""What all pages share: the frame ``page.html``, how templates are read, and how numbers and names are written."""

from __future__ import annotations

import math
from importlib.resources import files
from typing import TYPE_CHECKING

from econzoo.envs.core.plurals import many
from econzoo.evaluate.escapes import short, visible
from econzoo.evaluate.formats import number, percent, span

if TYPE_CHECKING:
    from jinja2 import Environment

HOME = "econzoo.evaluate"


def environment(package: str = HOME) -> Environment:
    """The template engine for the templates of a package and those that all pages share."""
    from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined

    def inside(name: str) -> str | None:
        return template(name, package) if files(package).joinpath("templates", name).is_file() else None

    made = Environment(
        loader=ChoiceLoader([FunctionLoader(inside), FunctionLoader(template)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=number, percent=percent, span=span, visible=visible, short=short, many=many)
    made.globals.update(isnan=math.isnan)
    return made


def template(name: str, package: str = HOME) -> str:
    """The text of a file beside the templates of a package: a template, a style sheet or a script."""
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")
