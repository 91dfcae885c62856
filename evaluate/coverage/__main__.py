"""How often 95% intervals cover what they estimate, as the page ``docs/statistics.md``.

``python -m econzoo.evaluate.coverage > docs/statistics.md`` makes that page, in a few minutes of one core.
"""

from __future__ import annotations

import math
import sys
from importlib.resources import files

from econzoo.evaluate.coverage.cells import DRAWS, cell, designs
from econzoo.evaluate.coverage.estimators import ESTIMATORS
from econzoo.evaluate.formats import NOTHING
from econzoo.evaluate.statistics import Population


def page(draws: int = DRAWS) -> str:
    """The page ``docs/statistics.md``."""
    text = files("econzoo.evaluate").joinpath("templates/statistics.template").read_text(encoding="utf-8")
    tables = []
    titles: dict[Population, str] = {"settings": "Over settings", "seeds": "Over seeds"}
    for over, title in titles.items():
        shapes = [(settings, seeds) for one, settings, seeds in designs() if one == over]
        head = ["estimator", *(f"{settings} x {seeds}" for settings, seeds in shapes)]
        rows = [[name, *(_share(cell(name, *shape, over, draws).covered) for shape in shapes)] for name in ESTIMATORS]
        told = [row for row in rows if set(row[1:]) != {NOTHING}]
        lines = [" | ".join(row) for row in (head, ["---"] * len(head), *told)]
        tables.append("\n".join([f"### {title}", "", *(f"| {line} |" for line in lines)]))
    return text.replace("<!-- tables -->", "\n\n".join(tables))


def _share(covered: float) -> str:
    return NOTHING if math.isnan(covered) else f"{covered:.3f}"


def main() -> None:
    """Writes the page to standard output."""
    sys.stdout.write(page())


if __name__ == "__main__":
    main()
