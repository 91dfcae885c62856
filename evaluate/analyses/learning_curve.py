"""Learning curves that training writes beside its checkpoints: ``learning_curve.csv``."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from econzoo.evaluate.run.folder import CURVE
from econzoo.evaluate.show.csv_files import plain_text

STEPS = ("timesteps", "steps", "step", "iteration", "epoch")
SERIES = ("opponent", "series", "name")
MEANS = ("reward", "mean", "value")


class Point(NamedTuple):
    """One evaluation during training.

    Attributes:
        step: Where.
        mean: Of the evaluation.
        low: Lower end of its interval, the mean if there is none.
        high: Upper end.
    """

    step: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """A learning curve.

    Attributes:
        name: Of the folder it was found in.
        x: Name of the steps.
        y: Name of the values.
        series: Name (of an opponent, say) to points, in order of the steps.
    """

    name: str
    x: str
    y: str
    series: dict[str, list[Point]]


def read_curve(path: Path, name: str = "") -> Curve:
    """The learning curve of a file.

    Raises:
        ValueError: The file lacks a column or a number; the message names it and the line.
    """
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        heads = reader.fieldnames or []
        x, y = _first(path, heads, STEPS), _first(path, heads, MEANS)
        group = next((head for head in SERIES if head in heads), None)
        series: dict[str, list[Point]] = {}
        for row in reader:
            series.setdefault(plain_text(row[group] or "") if group else "", []).append(
                _point(path, reader.line_num, row, x, y)
            )
    if not series:
        raise ValueError(f"{path}: no rows")
    return Curve(name or path.parent.name, x, y, {key: sorted(points) for key, points in series.items()})


def _first(path: Path, heads: object, allowed: tuple[str, ...]) -> str:
    for head in allowed:
        if head in heads:  # type: ignore[operator]
            return head
    raise ValueError(f"{path}: no column {' or '.join(allowed)}")


def _point(path: Path, line: int, row: dict[str, str], x: str, y: str) -> Point:
    try:
        mean = float(row[y])
        low, high = (float(row.get(key) or math.nan) for key in ("low", "high"))
        return Point(float(row[x]), mean, *(mean if math.isnan(end) else end for end in (low, high)))
    except (TypeError, ValueError):
        raise ValueError(f"{path}, line {line}: not a number") from None


def read_curves(folder: Path) -> tuple[list[Curve], list[str]]:
    """All learning curves in a folder and below it, and what could not be read."""
    curves, problems = [], []
    for path in sorted(folder.rglob(CURVE)):
        place = path.parent.relative_to(folder).as_posix()
        try:
            curves.append(read_curve(path, folder.resolve().name if place == "." else place))
        except (ValueError, UnicodeDecodeError, csv.Error) as error:
            problems.append(str(error))
    return curves, problems
