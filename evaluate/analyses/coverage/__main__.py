"""Coverage of 95% intervals as the page ``docs/statistics.md``.

``python -m econzoo.evaluate.analyses.coverage > docs/statistics.md`` writes that page in a few minutes on one core.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib.resources import files

from econzoo.evaluate.analyses.coverage.cells import DRAWS, Cell, cell, designs, is_within_bounds, reason
from econzoo.evaluate.analyses.coverage.estimators import ESTIMATORS
from econzoo.evaluate.show.csv_files import markdown_table
from econzoo.evaluate.show.numbers import NOTHING, format_number
from econzoo.evaluate.stats.estimates import Population

TITLES: Mapping[Population, str] = {"settings": "Over settings", "seeds": "Over seeds"}

Design = tuple[Population, int, int]
"""Population of the intervals, number of settings, seeds per setting."""


def page(draws: int = DRAWS) -> str:
    """Return the page ``docs/statistics.md``."""
    text = files("econzoo.evaluate.show").joinpath("templates/statistics.template").read_text(encoding="utf-8")
    found = {name: {at: cell(name, *at[1:], at[0], draws) for at in designs()} for name in ESTIMATORS}
    every = [one for row in found.values() for one in row.values()]
    tables = [f"### {title}\n\n{_table(over, found)}" for over, title in TITLES.items()]
    return text.replace("<!-- tables -->", "\n\n".join(tables)).replace("<!-- outside -->", _outlier_table(every))


def _table(over: Population, found: Mapping[str, Mapping[Design, Cell]]) -> str:
    """Rows: estimators with intervals; columns: designs."""
    shapes = [at for at in designs() if at[0] == over]
    rows = [[name, *(format_number(row[at].coverage) for at in shapes)] for name, row in found.items()]
    head = ["estimator", *(f"{settings} x {seeds}" for _, settings, seeds in shapes)]
    return "\n".join(markdown_table(head, [row for row in rows if set(row[1:]) != {NOTHING}]))


def _outlier_table(cells: Iterable[Cell]) -> str:
    """The cells outside of the bounds, with reasons."""
    head = ["estimator", "over", "settings x seeds", "covered", "why"]
    rows = [
        [one.estimator, one.over, f"{one.settings} x {one.seeds}", format_number(one.coverage), reason(one)]
        for one in cells
        if one.interval_share and not is_within_bounds(one)
    ]
    return "\n".join(markdown_table(head, rows))


def main() -> None:
    """Write the page to standard output."""
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
