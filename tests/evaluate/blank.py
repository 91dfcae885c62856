"""Figures that nobody looks at, which are made and not rendered."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import IO

import pytest

SHOWN = 2
"""Figures on pages that are drawn, where any are."""


def make_blank(patch: pytest.MonkeyPatch, *kept: str) -> None:
    """Saves figures blank, but for files of these names and, if there are any, the first on pages."""
    from matplotlib.figure import Figure

    savefig, shown = Figure.savefig, count()

    def save(figure: Figure, file: Path | IO, **options: object) -> None:
        named = isinstance(file, str | Path)
        if Path(file).name.startswith(kept) if named else kept and next(shown) < SHOWN:
            savefig(figure, file, **options)
        elif named:
            Path(file).write_text("blank")
        else:
            file.write("<svg></svg>")

    patch.setattr(Figure, "savefig", save)
    if not kept:
        patch.setattr(Figure, "draw_without_rendering", lambda figure: None)
