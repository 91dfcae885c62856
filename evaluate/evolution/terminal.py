"""A study on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from econzoo.evaluate.console import table
from econzoo.evaluate.escapes import visible
from econzoo.evaluate.evolution.study import Study
from econzoo.evaluate.evolution.tables import tables


def shown(found: Study) -> Iterator[Any]:
    """What `econzoo.evaluate.console.show` prints, part by part."""
    from rich.text import Text

    for one in tables(found):
        yield table(f"\n{one.title}", one.heads, [[visible(cell) for cell in row] for row in one.rows])
        yield Text(visible(one.note), style="dim")
