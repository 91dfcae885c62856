"""Tables and figures of a collection, computed by a separate process.

    python -m econzoo.people.manage.summaries RECORDS FILE

They are those of ``econzoo analyze``. The process keeps their libraries and the work out of the server.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from econzoo.envs.core import require_libraries, write_file
from econzoo.evaluate.analyses import Group
from econzoo.evaluate.analyses.summary import Summary, heading, objective_columns, ranking, sentences, summarize
from econzoo.evaluate.run import read_records, recorded_ids
from econzoo.evaluate.show import NOTHING, TERMINAL, Column, write_interval, write_value


def make_results(records: Path) -> dict[str, Any]:
    """Tables and figures of a folder of records, or the ``problem`` that prevents them."""
    try:
        require_libraries("tables and figures", "pandas", "scipy", "matplotlib", "jinja2")

        return describe(summarize(read_records(records)))
    except Exception as error:
        return {"problem": f"{error}"}


def describe(summary: Summary) -> dict[str, Any]:
    """Convert a summary to what its page shows."""
    columns = objective_columns(summary, [group.overall[one] for group in summary.groups for one in group.players])
    shown = [one for one in columns if TERMINAL in one.places]
    tables = [one for group in summary.groups for one in (_ranking(summary, group, shown), _cross_play(summary, group))]
    legend = ranking(summary)[0].legend
    return {"sentences": sentences(summary), "tables": tables, "figures": _figures(summary), "legend": legend}


def _ranking(summary: Summary, group: Group, columns: Sequence[Column]) -> dict[str, Any]:
    body = [
        [player, *_format_cells(columns, [group.overall[player][one.key] for one in columns])]
        for player in group.players
    ]
    heads = [text for one in columns for text in (one.title, *["95% CI"] * one.show_interval)]
    return {"kind": "ranking", "about": heading(summary, group), "heads": ["player", *heads], "rows": body}


def _format_cells(columns: Sequence[Column], cells: Sequence[Any]) -> Iterator[str]:
    for column, one in zip(columns, cells, strict=True):
        yield write_value(column, one)
        if column.show_interval:
            yield write_interval(column, one) or NOTHING


def _cross_play(summary: Summary, group: Group) -> dict[str, Any]:
    value, means = Column(summary.objective), {pair: one[summary.objective] for pair, one in group.pairs.items()}
    body = [[one, *(write_value(value, means.get((one, other))) for other in group.opponents)] for one in group.players]
    return {"kind": "cross", "about": heading(summary, group), "heads": ["against", *group.opponents], "rows": body}


def _figures(summary: Summary) -> list[dict[str, str]]:
    from econzoo.evaluate.analyses.summary import figures
    from econzoo.evaluate.show import to_svg

    columns = {column for values in summary.overall.values() for column, one in values.items() if one.rows}
    drawn = [("equilibrium", "", figures.equilibrium_figure(summary))] if "share" in columns else []
    if {"efficiency", "fairness"} <= columns:
        drawn += [("pareto", heading(summary, one), figures.pareto_figure(summary, one)) for one in summary.groups]
    return [
        {"kind": kind, "about": about, "svg": styles_to_attributes(to_svg(one, kind))} for kind, about, one in drawn
    ]


def styles_to_attributes(svg: str) -> str:
    """Move inline styles of an SVG to attributes, since the content security policy forbids inline styles."""
    bare = re.sub(r"<style.*?</style>", "", svg, flags=re.DOTALL)
    return re.sub(r'\sstyle="([^"]*)"', lambda style: _attributes(style[1].split(";")), bare)


def _attributes(rules: Sequence[str]) -> str:
    parts = [(name.strip(), value.strip()) for name, _, value in (rule.partition(":") for rule in rules)]
    groups = [_font(value) if name == "font" else [(name, value)] for name, value in parts if name]
    attributes = [pair for group in groups for pair in group if pair[0] not in ("min-width", "max-width")]
    return "".join(f' {name}="{value}"' for name, value in attributes)


def _font(value: str) -> list[tuple[str, str]]:
    """Size and weight of a font; the family is the page's."""
    size = re.search(r"[\d.]+px", value)
    weight = [("font-weight", "700")] if "bold" in value else []
    return [*([("font-size", size[0])] if size else []), *weight]


def main(records: Path, file: Path) -> None:
    """Write tables and figures of a folder of records to a file."""
    if hasattr(os, "nice"):
        # Matches go before figures.
        os.nice(10)
    # Counted first: matches that end meanwhile count as new and cause another refresh.
    of = len(recorded_ids(records))
    write_file(file, json.dumps({**make_results(records), "of": of}))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
