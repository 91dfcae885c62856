"""What was measured, as CSV files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from econzoo.baselines.parts.objectives import objective_of
from econzoo.evaluate.analyses.programs.estimates import Mean, Slope
from econzoo.evaluate.analyses.programs.measured import Measured
from econzoo.evaluate.show.csv_files import write_csv

if TYPE_CHECKING:
    from econzoo.evaluate.analyses.programs.strategies import Judged

OBJECTIVES = {"player": "objective", "opponent": "opponent_objective"}
"""Columns of players, and the columns behind them that say what each is after."""


def written(found: Measured, folder: Path) -> list[Path]:
    """Writes every program, means, trends and failures."""
    specs = found.specs
    failed = [(*who, kind, count) for who, counts in found.failures.items() for kind, count in counts.items()]
    return [
        _write(specs, folder / "programs.csv", list(found.table), found.table.itertuples(index=False, name=None)),
        _write(specs, folder / "programs_means.csv", Mean._fields, found.means),
        _write(specs, folder / "programs_trends.csv", Slope._fields, found.slopes),
        _write(specs, folder / "programs_failures.csv", ("game", "player", "kind", "count"), failed),
    ]


def written_strategies(judged: Judged, specs: Mapping[str, str], folder: Path) -> Path:
    """Writes the share of every category, by judge, player, opponent and meta-round.

    Args:
        judged: What judges said.
        specs: Of the players, by what tables call them.
        folder: Where to.
    """
    rows = [(judge, *one) for judge, found in judged.shares.items() for one in found]
    return _write(specs, folder / "programs_strategies.csv", ("judge", "category", *Mean._fields[1:]), rows)


def _write(specs: Mapping[str, str], file: Path, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """The rows, with what each player is after behind its name."""
    wide = [cell for head in heads for cell in (head, *([OBJECTIVES[head]] if head in OBJECTIVES else []))]
    return write_csv(file, wide, (_with_objectives(specs, heads, row) for row in rows))


def _with_objectives(specs: Mapping[str, str], heads: Sequence[str], row: Sequence[Any]) -> list[Any]:
    cells: list[Any] = []
    for head, cell in zip(heads, row, strict=True):
        cells += [cell, objective_of(specs.get(cell, ""))] if head in OBJECTIVES else [cell]
    return cells
