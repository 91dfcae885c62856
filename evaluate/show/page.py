"""A page of an analysis: one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from econzoo.envs.core import escape_name, format_count, write_file
from econzoo.envs.core.record import strip_addresses
from econzoo.evaluate.show.escapes import sanitize_text
from econzoo.evaluate.show.files import FORMATS, csv_of, json_of, write_parts
from econzoo.evaluate.show.numbers import NOTHING, capitalize_first
from econzoo.evaluate.show.parts import HEADING, PAGE, TEXT, WARNING, Block, Cell, Column, Divider, Figure, Part, Table
from econzoo.evaluate.show.parts import Text, no_interval_reason, number_of, sections, to_cell, write_interval
from econzoo.evaluate.show.parts import write_value
from econzoo.evaluate.show.terminal import show

if TYPE_CHECKING:
    import pandas as pd
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["Page"]

PACKAGE = "econzoo.evaluate.show"

MAX_PROBLEMS = 5
"""Maximum number of read errors printed on a terminal; the page lists more."""

FRAME_PIXELS = 480

MANY_COLUMNS, MANY_LETTERS = 4, 60
"""A shaded table with more columns and longer headings (in total characters) rotates its headings."""


@dataclass(frozen=True)
class Page:
    """The result of an analysis, independent of the renderer.

    Attributes:
        name: File name without suffix, and name of the folder of its other files.
        title: Heading.
        parts: Tables, figures and texts, in order.
        facts: Short facts on the data.
        problems: Read errors and exclusions.
        script: JavaScript of the page (optional enhancement).
        linked_pages: Builds the linked pages, which are written into the folder of its other files.
        numbers: Plain values of the JSON output besides the tables.
    """

    name: str
    title: str
    parts: Sequence[Part]
    facts: Sequence[str] = ()
    problems: Sequence[object] = ()
    script: str = field(default="", repr=False)
    linked_pages: Callable[[], Iterable[Page]] = field(default=tuple, repr=False)
    numbers: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def _problem_texts(self) -> list[str]:
        """Sanitized texts of the problems."""
        # Addresses of servers do not belong on a page that is passed on.
        return [sanitize_text(strip_addresses(str(one))) for one in self.problems]

    def show(self) -> None:
        """Print to the terminal, with up to `MAX_PROBLEMS` problems."""
        more = len(self._problem_texts) - MAX_PROBLEMS
        lines = [*self._problem_texts[:MAX_PROBLEMS], *([f"and {more:,} more"] if more > 0 else [])]
        show([*self.parts, *(Text(f"not read: {line}", WARNING) for line in lines)])

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values, by table; table ``problems`` lists the problems."""
        problems = {"problems": [{"problem": one} for one in self._problem_texts]} if self.problems else {}
        return {**json_of(self.parts), **self.numbers, **problems}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False)

    def to_html(self) -> str:
        """The HTML text."""
        # The content security policy of the page allows this script only.
        digest = base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()
        filled = [_Section(f"part-{at}", one.heading, _items(one.parts)) for at, one in enumerate(sections(self.parts))]
        return (
            jinja_environment()
            .get_template("page.html")
            .render(
                title=sanitize_text(self.title),
                style=read_template("report.css"),
                script=self.script,
                script_hash=digest,
                facts=[sanitize_text(one) for one in self.facts],
                problems=self._problem_texts,
                sections=[one for one in filled if one.items],
            )
        )

    def to_pandas(self) -> dict[str, pd.DataFrame]:
        """The tables as data frames by key, with columns as in the CSV files."""
        import pandas as pd

        tables = [one for one in self.parts if isinstance(one, Table)]
        named = [(table.key, *csv_of(table)) for table in tables]
        return {key: pd.DataFrame(rows, columns=heads) for key, heads, rows in named}

    def _repr_html_(self) -> str:
        """The page in a notebook; the frame keeps its style from the notebook's."""
        return (
            f'<iframe srcdoc="{escape(self.to_html())}" style="width:100%;height:{FRAME_PIXELS}px;border:0"></iframe>'
        )

    def write(self, folder: str | Path, formats: Sequence[str] = FORMATS) -> Path:
        """Write ``NAME.html`` into a folder, and tables, figures and linked pages into its subfolder NAME.

        Args:
            folder: Output folder; created if missing.
            formats: Formats of tables and figures; empty: pages only.

        Returns:
            Path of the page.
        """
        path = Path(folder) / f"{self.name}.html"
        write_file(path, self.to_html())
        if formats:
            write_parts(self.parts, path.with_suffix(""), formats)
        for other in self.linked_pages():
            other.write(path.with_suffix(""), ())
        return path


def write_and_show(page: Page, out: Path, as_json: bool, formats: Sequence[str] = FORMATS) -> None:
    """Write a page and its files into a folder, and print its tables or JSON."""
    path = page.write(out, formats)
    if as_json:
        print(page.to_json())
        return
    page.show()
    print(f"\nPage: {escape_name(path)}")


class _Section(NamedTuple):
    """A section for the template; `items` are pairs of kind and template values."""

    anchor: str
    heading: str
    items: list[tuple[str, Any]]


def _items(parts: Sequence[Part]) -> list[tuple[str, Any]]:
    """Template items of the parts; consecutive small figures are grouped side by side."""
    items: list[tuple[str, Any]] = []
    for small, run in groupby(parts, lambda part: isinstance(part, Figure) and part.small):
        group = [item for part in run for item in _item(part)]
        items += [("figures", [one for _, one in group])] if small else group
    return items


def _item(part: Part) -> Iterator[tuple[str, Any]]:
    from markupsafe import Markup

    if isinstance(part, Figure):
        from econzoo.evaluate.show.figures import to_svg

        title = f"{part.heading}: {part.subject}" if part.subject else part.heading
        yield "figure", {"heading": part.heading, "note": part.note, "svg": Markup(to_svg(part.figure, title))}
    elif isinstance(part, Block):
        yield "block", Markup(jinja_environment().get_template(part.template).render(part.values))
    elif isinstance(part, Text):
        if PAGE in part.places and part.kind != HEADING:
            yield part.kind, part
    elif part and PAGE in part.places:
        yield "table", _table_context(part)


def _table_context(table: Table) -> dict[str, Any]:
    shown = table.restrict_to(PAGE)
    depth = _colour_depth(shown)
    tops = [_full_bar_of(shown, at) if column.bar else None for at, column in enumerate(shown.columns)]
    body = [
        row
        if isinstance(row, Divider)
        else [
            _cell_context(column, to_cell(one), depth, top)
            for column, one, top in zip(shown.columns, row, tops, strict=True)
        ]
        for row in shown.rows
    ]
    heads = [column.title for column in shown.columns]
    upright = len(heads) > MANY_COLUMNS and len("".join(heads)) > MANY_LETTERS
    return {
        "title": table.title,
        "note": shown.legend,
        "columns": list(zip(shown.columns, tops, strict=True)),
        "span": len(shown.columns) + sum(top is not None for top in tops),
        "names": shown.count_name_columns(),
        "rows": body,
        "shade": table.shade,
        "upright": bool(table.shade) and upright,
    }


def _cell_context(
    column: Column, cell: Cell, depth: Callable[[float], float], top: float | None = None
) -> dict[str, Any]:
    written, number = write_value(column, cell), number_of(cell)
    known = number is not None and not math.isnan(number)
    return {
        "text": written,
        "is_text": column.kind == TEXT,
        "is_nothing": written == NOTHING,
        "interval": write_interval(column, cell) or (no_interval_reason(cell) if column.show_interval else ""),
        "cell": cell if cell.tip else cell._replace(tip=no_interval_reason(cell)),
        "depth": round(depth(number), 3) if known and number is not None else None,
        "above": known and number is not None and number > 0,
        "barred": top is not None,
        "bar": _bar(cell.value, top) if top is not None and known else None,
    }


def _bar(value: Any, top: float) -> dict[str, float] | None:
    """End and interval of a bar as fractions of `top`; None: the value is outside [0, top]."""
    mean = number_of(value)
    if mean is None or not 0 <= mean <= top:
        return None
    low, high = getattr(value, "low", math.nan), getattr(value, "high", math.nan)
    low, high = (mean, mean) if math.isnan(low) else (max(low, 0.0), min(high, top))
    return {"at": round(mean / top, 4), "low": round(low / top, 4), "high": round(high / top, 4)}


def _full_bar_of(table: Table, at: int) -> float:
    cells = [to_cell(row[at]).value for row in table.rows if not isinstance(row, Divider)]
    ends = [number_of(getattr(cell, "high", math.nan)) for cell in cells]
    known = [number_of(cell) if end is None or math.isnan(end) else end for cell, end in zip(cells, ends, strict=True)]
    return full_bar([value for value in known if value is not None])


def full_bar(values: Sequence[float]) -> float:
    """Scale of bars: 1 if the maximum is in [0.2, 1], else the next 1, 2 or 5 times a power of ten."""
    most = max([value for value in values if not math.isnan(value)], default=1.0)
    if 0.2 <= most <= 1.0 or most <= 0.0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(most))
    # The tolerance absorbs the rounding of the power of ten.
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if most <= step * power * (1 + 1e-9))


def _colour_depth(table: Table) -> Callable[[float], float]:
    """Map from a number to its colour depth in [0, 1]."""
    cells = [cell for row in table.rows if not isinstance(row, Divider) for cell in row]
    known = [number for number in map(number_of, cells) if number is not None and not math.isnan(number)]
    if table.shade == "around":
        most = max(map(abs, known), default=0.0) or 1.0
        return lambda number: abs(number) / most
    low, high = min([0.0, *known]), max([0.0, *known])
    return lambda number: (number - low) / ((high - low) or 1.0)


@cache
def jinja_environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(read_template),
        autoescape=True,
        undefined=StrictUndefined,  # a missing value of a template is an error, not an empty text
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        visible=sanitize_text, many=format_count, capitalized=capitalize_first, breakable=insert_line_breaks
    )
    return environment


def insert_line_breaks(text: str) -> Markup:
    """Return a name as HTML with optional line breaks after separators."""
    from markupsafe import Markup

    return Markup("<wbr>").join(re.split(r"(?<=[_=/?&@])(?=\w)", text))


def read_template(name: str) -> str:
    """Read a template, style sheet or script from ``templates``."""
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")
