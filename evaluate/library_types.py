"""Types of large libraries, which may not be installed, for annotations: importing them from here loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure
    from pandas import DataFrame, Series
else:
    Axes = Colormap = Normalize = Figure = DataFrame = Series = Any

__all__ = ["Axes", "Colormap", "DataFrame", "Figure", "Normalize", "Series"]
