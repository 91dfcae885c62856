"""What all pages share: the frame ``page.html``, how templates are read, and how numbers and names are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from econzoo.envs.core.plurals import many
from econzoo.envs.core.record.provenance import made_now, without_addresses
from econzoo.evaluate.analyses.description import Played, made_in
from econzoo.evaluate.show.console import WORDS
from econzoo.evaluate.show.escapes import visible
from econzoo.evaluate.show.numbers import capitalized, number, percent, percent_span, span

HOME = "econzoo.evaluate.show"


class Page(NamedTuple):
    """A page that needs nothing else.

    Attributes:
        name: Of its file.
        text: HTML.
    """

    name: str
    text: str

    def write(self, folder: str | Path) -> Path:
        """Writes the page into a folder, which is made if it does not exist; returns the file."""
        path = Path(folder) / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text, encoding="utf-8")
        return path


def new_page(
    template_name: str,
    title: str,
    package: str = HOME,
    problems: Iterable[object] = (),
    played: Sequence[Played] = (),
    folders: Iterable[str | Path] = (),
    filters: Mapping[str, Callable[..., Any]] | None = None,
    **shown: Any,
) -> Page:
    """A page in the frame of all pages, with the name of its template.

    Args:
        template_name: A file that extends ``page.html``.
        title: Heading.
        package: That has the template beside those that all pages share.
        problems: What was not read.
        played: What was played, game by game.
        folders: Of the matches, whose manifests say what has made them.
        filters: That the template needs besides those of `environment`.
        **shown: What the template reads; ``sentences`` stand above everything.
    """
    made = environment(package)
    made.filters.update(filters or {})
    frame = {
        **{"style": template("report.css"), "script": "", "sentences": []},
        **{"played": played, "made": made_in(folders), "made_now": made_now()},
    }
    text = made.get_template(template_name).render(
        {
            **frame,
            "title": visible(title),
            "problems": [visible(without_addresses(str(one))) for one in problems],
            **shown,
        }
    )
    return Page(template_name, text)


@cache
def environment(package: str = HOME) -> Environment:
    """The template engine for the templates of a package and those that all pages share."""

    def inside(name: str) -> str | None:
        return template(name, package) if files(package).joinpath("templates", name).is_file() else None

    made = Environment(
        loader=ChoiceLoader([FunctionLoader(inside), FunctionLoader(template)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(number=number, percent=percent, span=span, percent_span=percent_span)
    made.filters.update(visible=visible, many=many, capitalized=capitalized, breakable=breakable)
    made.globals.update(isnan=math.isnan, words=WORDS)
    return made


def breakable(text: str) -> Markup:
    """A name as HTML whose lines can break behind a sign that ends a part of it; where it can, no word is cut."""
    return Markup("<wbr>").join(re.split(r"(?<=[_=/?&@])(?=\w)", text))


def template(name: str, package: str = HOME) -> str:
    """The text of a file beside the templates of a package: a template, a style sheet or a script."""
    return files(package).joinpath("templates", name).read_text(encoding="utf-8")
