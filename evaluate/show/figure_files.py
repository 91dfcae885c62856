"""Figures with their headings, and figures as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from matplotlib import rc_context
from matplotlib.figure import Figure

from econzoo.envs.core.contract.validation import file_name
from econzoo.evaluate.show.figures import STYLE, to_svg

UNDATED: Mapping[str, dict[str, None]] = {
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}
"""Forms of files, and what they do not say, so that the same figure is the same file."""


class Drawn(NamedTuple):
    """A figure.

    Attributes:
        name: Of its files.
        heading: What it shows.
        note: How to read it.
        figure: The figure itself.
        about: Whom it shows, where others of the same heading show others.
    """

    name: str
    heading: str
    note: str
    figure: Figure
    about: str = ""

    @property
    def svg(self) -> str:
        """The figure for a page."""
        return to_svg(self.figure, f"{self.heading}: {self.about}" if self.about else self.heading)


def write_figures(figures: Mapping[str, Figure], folder: Path, dots_per_inch: int = 160) -> list[Path]:
    """Writes figures as PDF, SVG and PNG; returns the files.

    Args:
        figures: By the names of their files.
        folder: Made if it does not exist.
        dots_per_inch: Of the PNG files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in figures.items():
        figure.set_dpi(dots_per_inch)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")  # laid out once, for all files
        for ending, metadata in UNDATED.items():
            paths.append(folder / f"{file_name('figure', name)}.{ending}")
            with rc_context({**STYLE, "svg.hashsalt": name}):
                figure.savefig(paths[-1], dpi=dots_per_inch, metadata=metadata)
    return paths
